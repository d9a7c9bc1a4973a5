/** Injects the `EventLog` of the process. */
export const EVENT_LOG = Symbol('EventLog');
