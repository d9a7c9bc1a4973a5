/** How far a message came. */
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

/** Why a message came no further. */
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
