/** The status of a message. */
export const MESSAGE_STATUSES = [
  'CANCELED',
  'CLICKED',
  'DELAYED',
  'DELIVERED',
  'DIGESTED',
  'ENQUEUED',
  'FILTERED',
  'OPENED',
  'ROUTED',
  'SENT',
  'SIMULATED',
  'THROTTLED',
  'UNDELIVERABLE',
  'UNMAPPED',
  'UNROUTABLE',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The reason why a message was not sent or delivered. */
export const MESSAGE_REASONS = [
  'BOUNCED',
  'FAILED',
  'FILTERED',
  'NO_CHANNELS',
  'NO_PROVIDERS',
  'OPT_IN_REQUIRED',
  'PROVIDER_ERROR',
  'UNPUBLISHED',
  'UNSUBSCRIBED',
] as const;
export type MessageReason = (typeof MESSAGE_REASONS)[number];
