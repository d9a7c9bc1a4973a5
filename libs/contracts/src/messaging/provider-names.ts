/** Channels of every provider that can be configured, by its key; in the order of the catalog. */
export const PROVIDER_CHANNELS = {
  smtp: ['email'],
  http: ['email', 'sms', 'push', 'direct_message', 'webhook'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Keys of the providers that can be configured for a channel. */
export function providersOn(channel: string): string[] {
  return Object.entries<readonly string[]>(PROVIDER_CHANNELS).flatMap(([key, channels]) => (channels.includes(channel) ? [key] : []));
}
