/** The channels a preference can name. */
export const CHANNEL_CLASSES = ['direct_message', 'email', 'push', 'sms', 'webhook', 'inbox'] as const;
export type ChannelClass = (typeof CHANNEL_CLASSES)[number];
/** Every channel; a banner is an inbox message. */
export const CHANNELS = [...CHANNEL_CLASSES, 'banner'] as const;
