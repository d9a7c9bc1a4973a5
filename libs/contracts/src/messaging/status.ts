import { statusOperations } from '../core/status-operations';

/** Readiness, backlog, lag and dead letters of messaging. */
export const messagingStatus = statusOperations('messaging');
