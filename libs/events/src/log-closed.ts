import { unavailable } from '@tidings/contracts/core/errors';

/** Error of calls after the log was closed. */
export const logClosed = () => unavailable('The event log is closed');
