import { statusOperations } from '../core/status-operations';

/** Readiness, backlog, lag and dead letters of audience. */
export const audienceStatus = statusOperations('audience');
