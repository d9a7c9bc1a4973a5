import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { violationsOf } from '@tidings/contracts/core/violations';
import { inlineTokens } from '@tidings/contracts/messaging/inline-tokens';
import { WebhookAddress } from '@tidings/contracts/messaging/webhook-address';

/** The token of a device for push messages. */
interface PushToken {
  readonly token: string;
  /** Key of the push service that issued the token: `apn`, `firebase-fcm`, … */
  readonly provider_key: string;
  /** Sent to the push service with the token. */
  readonly properties?: unknown;
  /** Status of a stored token when it was loaded; not sent. */
  readonly status?: string;
}

/** The recipient of a message with the merged profile. */
export interface Addressee {
  readonly userId?: string;
  /** The merged profile: stored and sent by clients, so no value has a guaranteed type. Its credentials may be sealed. */
  readonly profile: Readonly<Record<string, unknown>>;
  /** Opens sealed credentials of a profile, for a check of their form. Default: none is sealed. */
  readonly open?: (profile: FreeObject) => FreeObject;
  /** The part of the profile that the send itself contains. Default: nothing. */
  readonly received?: Readonly<Record<string, unknown>>;
  /** The stored push tokens in use, the latest registered first. */
  readonly tokens?: readonly PushToken[];
}

type FreeObject = Readonly<Record<string, unknown>>;

/**
 * The part of an addressee that a provider needs on a channel. JSON, so that it survives a crash beside its delivery; credentials stay
 * sealed in it until the call.
 */
export type Recipient =
  | { readonly channel: 'email'; readonly email: string }
  | { readonly channel: 'sms'; readonly phone_number: string }
  | { readonly channel: 'push'; readonly user_id?: string; readonly tokens: readonly PushToken[] }
  | {
      readonly channel: 'direct_message';
      readonly slack?: FreeObject;
      readonly ms_teams?: FreeObject;
      readonly discord?: FreeObject;
      readonly telegram?: FreeObject;
      /** For WhatsApp. */
      readonly phone_number?: string;
    }
  | {
      readonly channel: 'webhook';
      readonly user_id?: string;
      readonly profile?: FreeObject;
      readonly webhook?: WebhookTarget;
      readonly pagerduty?: FreeObject;
    };

/** A recipient's own webhook, used instead of the configured URL, with its authentication. */
export interface WebhookTarget {
  readonly url: string;
  readonly method?: 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly authentication?: Pick<WebhookAddress['authentication'] & object, 'mode' | 'username' | 'password' | 'token'>;
}

/** The addresses of a recipient on channels where an address is one text. */
export function addressesOf(recipient: Recipient): string[] {
  switch (recipient.channel) {
    case 'email':
      return [recipient.email];
    case 'sms':
      return [recipient.phone_number];
    case 'push':
      return recipient.tokens.map(({ token }) => token);
    default:
      return [];
  }
}

/** The part of an addressee that the channel needs, or undefined where it is missing. */
export function recipientOn(channel: string, addressee: Addressee): Recipient | undefined {
  const { profile, userId } = addressee;
  switch (channel) {
    case 'email':
      return isText(profile.email) ? { channel, email: profile.email } : undefined;
    case 'sms':
      return isPhoneNumber(profile.phone_number) ? { channel, phone_number: profile.phone_number } : undefined;
    case 'push': {
      const tokens = tokensOf(addressee);
      return tokens.length > 0 ? { channel, user_id: userId, tokens } : undefined;
    }
    case 'direct_message': {
      const targets = {
        ...Object.assign({}, ...DIRECT_FIELDS.map((name) => target(name, profile))),
        ...(isPhoneNumber(profile.phone_number) && { phone_number: profile.phone_number }),
      } as Omit<Extract<Recipient, { channel: 'direct_message' }>, 'channel'>;
      return Object.keys(targets).length > 0 ? { channel, ...targets } : undefined;
    }
    case 'webhook':
      return withPagerduty(webhookOf(addressee), profile);
    default:
      return undefined;
  }
}

/** Profile fields with a person's address in a chat application. */
const DIRECT_FIELDS = ['slack', 'ms_teams', 'discord', 'telegram'] as const;

/** Most devices of one message; further ones are dropped. */
const TOKENS_MAX = 1_000;

/** Profile fields that contain tokens, with the key of their push service. */
const TOKEN_FIELDS = [
  ['firebaseToken', 'firebase-fcm'],
  ['apn', 'apn'],
  ['expo', 'expo'],
  ['oneSignalPlayerID', 'onesignal'],
] as const;

/** The stored tokens, then those of the profile; each once. */
function tokensOf({ tokens = [], profile }: Addressee) {
  const found = new Map(tokens.map((stored) => [stored.token, sendable(stored)]));
  for (const [field, provider_key] of TOKEN_FIELDS) {
    for (const token of inlineTokens(profile[field]) ?? []) if (!found.has(token)) found.set(token, { token, provider_key });
  }
  return [...found.values()].slice(0, TOKENS_MAX);
}

/** The fields of a stored token for its push service, and its status. */
function sendable({ token, provider_key, properties, status }: PushToken): PushToken {
  return { token, provider_key, properties: properties ?? undefined, status };
}

/**
 * A valid webhook of the profile is the target; an invalid one has no recipient. The posted profile is that of the send, or the whole
 * merged one where the webhook's `profile` is `expanded`; never the webhook itself, which may contain credentials.
 */
function webhookOf({ profile, received = {}, userId, open = (sealed) => sealed }: Addressee): Recipient | undefined {
  const { webhook } = profile;
  const isGiven = webhook !== undefined && webhook !== null;
  if (isGiven && !(isJsonObject(webhook) && violationsOf(WebhookAddress, open({ webhook }).webhook as object).length === 0))
    return undefined;
  const { url, method, headers, authentication, profile: shown } = (webhook ?? {}) as WebhookAddress;
  const { webhook: _webhook, ...posted } = shown === 'expanded' ? profile : received;
  return {
    channel: 'webhook',
    user_id: userId,
    profile: posted,
    ...(url && {
      webhook: { url, method: method ?? undefined, headers: headers ?? undefined, authentication: authentication ?? undefined },
    }),
  };
}

function withPagerduty(recipient: Recipient | undefined, { pagerduty }: FreeObject): Recipient | undefined {
  return recipient && isJsonObject(pagerduty) ? ({ ...recipient, pagerduty } as Recipient) : recipient;
}

function target(name: (typeof DIRECT_FIELDS)[number], profile: FreeObject): Record<string, FreeObject> {
  const value = profile[name];
  return isJsonObject(value) && Object.keys(value).length > 0 ? { [name]: value } : {};
}

/** 5 to 15 digits (E.164 has at most 15), with a plus and separators: short or national numbers are the provider's to judge. */
const PHONE_NUMBER = /^\+?(?:[ ().\-/]*\d){5,15}[ ().\-/]*$/;

function isPhoneNumber(value: unknown): value is string {
  return isText(value) && PHONE_NUMBER.test(value);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
