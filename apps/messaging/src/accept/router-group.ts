/** The group that reads accepted requests. */
export const ROUTER_GROUP = 'tidings.messaging.router';
