import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { violationsOf } from '@tidings/contracts/core/violations';
import { inlineTokens } from '@tidings/contracts/messaging/inline-tokens';
import { WebhookAddress } from '@tidings/contracts/messaging/webhook-address';

/** A device that a push message may be sent to. */
interface PushToken {
  readonly token: string;
  /** Of the push service that gave the token: `apn`, `firebase-fcm`, … */
  readonly provider_key: string;
  /** To be sent to the push service with the token. */
  readonly properties?: unknown;
  /** How a stored token stood when it was looked up; not sent. */
  readonly status?: string;
}

/** Whom a message goes to, as it is known once everything was merged. */
export interface Addressee {
  readonly userId?: string;
  /** The merged profile: whatever clients stored or sent, so nothing in it has a known type. */
  readonly profile: Readonly<Record<string, unknown>>;
  /** What of the profile came with the send itself. Default: nothing. */
  readonly received?: Readonly<Record<string, unknown>>;
  /** The stored push tokens that may be sent to, the latest registered first. */
  readonly tokens?: readonly PushToken[];
}

type Free = Readonly<Record<string, unknown>>;

/** The part of an addressee that a provider needs on a channel. JSON, so that it survives a crash beside its delivery. */
export type Recipient =
  | { readonly channel: 'email'; readonly email: string }
  | { readonly channel: 'sms'; readonly phone_number: string }
  | { readonly channel: 'push'; readonly user_id?: string; readonly tokens: readonly PushToken[] }
  | { readonly channel: 'direct_message'; readonly slack?: Free; readonly ms_teams?: Free; readonly discord?: Free }
  | { readonly channel: 'webhook'; readonly user_id?: string; readonly profile?: Free; readonly webhook?: WebhookPlace };

/** Where a recipient wants webhooks, in place of the configured address, and how its receiver knows us. */
export interface WebhookPlace {
  readonly url: string;
  readonly method?: 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly authentication?: Pick<WebhookAddress['authentication'] & object, 'mode' | 'username' | 'password' | 'token'>;
}

/** What of an addressee the channel needs, or undefined where it is not there. */
export function recipientOn(channel: string, addressee: Addressee): Recipient | undefined {
  const { profile, userId } = addressee;
  switch (channel) {
    case 'email':
      return isText(profile.email) ? { channel, email: profile.email } : undefined;
    case 'sms':
      return isText(profile.phone_number) ? { channel, phone_number: profile.phone_number } : undefined;
    case 'push': {
      const tokens = tokensOf(addressee);
      return tokens.length > 0 ? { channel, ...(userId !== undefined && { user_id: userId }), tokens } : undefined;
    }
    case 'direct_message': {
      const places = { ...place('slack', profile), ...place('ms_teams', profile), ...place('discord', profile) };
      return Object.keys(places).length > 0 ? { channel, ...places } : undefined;
    }
    case 'webhook':
      return webhookOf(addressee);
    default:
      return undefined;
  }
}

/** Devices of one message; a profile with more is cut off. */
const TOKENS_MAX = 1_000;

/** Where a profile holds tokens, and of whom. */
const TOKEN_FIELDS = [
  ['firebaseToken', 'firebase-fcm'],
  ['apn', 'apn'],
  ['expo', 'expo'],
  ['oneSignalPlayerID', 'onesignal'],
] as const;

/** The stored tokens, then those that the profile names; each once. */
function tokensOf({ tokens = [], profile }: Addressee): PushToken[] {
  const found = new Map(tokens.map((stored) => [stored.token, sendable(stored)]));
  for (const [field, provider_key] of TOKEN_FIELDS) {
    for (const token of inlineTokens(profile[field]) ?? []) if (!found.has(token)) found.set(token, { token, provider_key });
  }
  return [...found.values()].slice(0, TOKENS_MAX);
}

/** Of what is stored of a token, what concerns its push service, and how it stands. */
function sendable({ token, provider_key, properties, status }: PushToken): PushToken {
  const hasProperties = properties !== undefined && properties !== null;
  return { token, provider_key, ...(hasProperties && { properties }), ...(status !== undefined && { status }) };
}

/**
 * Whoever has a webhook of their own gets it there, unless it is none: then nobody does. What is posted of the profile is what came with
 * the send, or all of it where the webhook says `expanded`; never the webhook itself, which may hold what lets us in.
 */
function webhookOf({ profile, received = {}, userId }: Addressee): Recipient | undefined {
  const { webhook } = profile;
  const isGiven = webhook !== undefined && webhook !== null;
  if (isGiven && !(isJsonObject(webhook) && violationsOf(WebhookAddress, webhook).length === 0)) return undefined;
  const { url, method, headers, authentication, profile: shown } = (webhook ?? {}) as WebhookAddress;
  const { webhook: _place, ...posted } = shown === 'expanded' ? profile : received;
  return {
    channel: 'webhook',
    ...(userId !== undefined && { user_id: userId }),
    profile: posted,
    ...(url && { webhook: { url, ...(method && { method }), ...(headers && { headers }), ...(authentication && { authentication }) } }),
  };
}

function place(name: 'slack' | 'ms_teams' | 'discord', profile: Free): Record<string, Free> {
  const value = profile[name];
  return isJsonObject(value) && Object.keys(value).length > 0 ? { [name]: value } : {};
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
