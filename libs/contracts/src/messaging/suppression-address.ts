import { toMailbox } from './mailbox';

/** Channels whose addresses can be suppressed. */
export const SUPPRESSION_CHANNELS = ['email', 'sms', 'push'] as const;
export type SuppressionChannel = (typeof SUPPRESSION_CHANNELS)[number];

/** What stands before the keyed hash of an erased address. */
export const ERASED_ADDRESS_PREFIX = 'hmac-sha256:';

/** E.164: a country code, which does not begin with 0, and at most 15 digits in all. */
const E164 = /^\+[1-9]\d{4,14}$/;

/** Of a push token: longer ones do not fit into an index. */
const TOKEN_LENGTH_MAX = 1_024;

/** The rule of each channel, for errors. */
export const ADDRESS_RULES: Readonly<Record<SuppressionChannel, string>> = {
  email: 'an e-mail address',
  sms: 'a phone number of 5 to 15 digits with its country code, as +15550100000',
  push: `a push token of at most ${TOKEN_LENGTH_MAX} characters`,
};

/** Whether addresses of the channel can be suppressed. */
export function isSuppressionChannel(channel: string): channel is SuppressionChannel {
  return (SUPPRESSION_CHANNELS as readonly string[]).includes(channel);
}

/**
 * The address in the one spelling by which it is suppressed: an e-mail address in lower case with its domain in ASCII, a phone number in
 * E.164, a push token unchanged. Undefined for a text that is no address of the channel. Pure.
 */
export function suppressionAddress(channel: SuppressionChannel, text: string): string | undefined {
  switch (channel) {
    case 'email':
      return toMailbox(text.trim())?.address.toLowerCase();
    case 'sms': {
      // Providers take `00` and a missing `+` for the international form too; a national number (0…) is in no form of E.164.
      const number = `+${text.replace(/[ ().\-/\t]/g, '').replace(/^(\+|00)/, '')}`;
      return E164.test(number) ? number : undefined;
    }
    case 'push':
      return text === '' || text.length > TOKEN_LENGTH_MAX || text.startsWith(ERASED_ADDRESS_PREFIX) ? undefined : text;
  }
}
