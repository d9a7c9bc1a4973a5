import { statusOperations } from '../core/status-operations';

/** Readiness, backlog, lag and dead letters of content. */
export const contentStatus = statusOperations('content');
