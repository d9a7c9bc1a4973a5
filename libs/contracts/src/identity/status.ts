import { statusOperations } from '../core/status-operations';

/** Readiness, backlog, lag and dead letters of identity. */
export const identityStatus = statusOperations('identity');
