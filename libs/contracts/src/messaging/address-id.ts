import { createHash } from 'node:crypto';
import { isJsonObject } from '../core/deep-merge';
import { type ProfileFields, USER_ID_LENGTH_MAX } from '../identity/profiles';
import type { AwsSnsAddress, DiscordAddress, MsTeamsAddress, PagerdutyAddress, SlackAddress } from './inline-addresses';
import { inlineTokens } from './inline-tokens';
import { invalid, isGiven } from '../core/refusals';
import type { WebhookAddress } from './webhook-address';

const DIGEST_LENGTH = 32;

/**
 * The recipient id of an address without a user id: the address itself, or a digest of a token or secret, which listings of
 * messages must not show. Undefined if the address is incomplete.
 */
type ReadAddress = (value: unknown, key: string) => string | undefined;

/** Every kind of address; the first that a recipient has is its recipient id. */
const ADDRESSES: readonly (readonly [key: string, read: ReadAddress, needs: string])[] = [
  ['email', textOf, 'a text'],
  ['phone_number', textOf, 'a text'],
  ['slack', slackOf, 'channel, user_id, email or incoming_webhook'],
  ['ms_teams', msTeamsOf, 'user_id, email, channel_id, conversation_id, or channel_name with team_id; and tenant_id or service_url'],
  ['discord', discordOf, 'user_id or channel_id'],
  ['webhook', (value, key) => secret(key, (value as WebhookAddress).url), 'url'],
  ['pagerduty', pagerdutyOf, 'to be an object'],
  ['expo', tokensOf, 'a token'],
  ['apn', tokensOf, 'a token'],
  ['firebaseToken', tokensOf, 'a token'],
  ['oneSignalPlayerID', tokensOf, 'a token'],
  ['oneSignalExternalUserId', textOf, 'a text'],
  ['aws_sns', (value, key) => secret(key, (value as AwsSnsAddress).target_arn), 'target_arn'],
  ['target_arn', (value, key) => secret(key, value), 'a text'],
  ['facebookPSID', textOf, 'a text'],
  ['airship', objectOf, 'to be an object'],
  ['intercom', objectOf, 'to be an object'],
];

/** The profile fields that are addresses. */
export const ADDRESS_FIELDS: readonly string[] = ADDRESSES.map(([key]) => key);

/**
 * The recipient id of a recipient without a user id; undefined without an address. `profile` fits `InlineAddresses`; `path` names it
 * in errors. @throws ServiceError `invalid_request` for an incomplete address, since no stored profile completes it.
 */
export function addressId(profile: ProfileFields, path: string): string | undefined {
  let id: string | undefined;
  for (const [key, read, needs] of ADDRESSES) {
    const value = profile[key];
    if (!isGiven(value)) continue;
    const name = read(value, key);
    if (name === undefined) throw invalid(`${path}.${key} needs ${needs}`);
    id ??= name.length <= USER_ID_LENGTH_MAX ? name : secret(key, name);
  }
  return id;
}

function textOf(value: unknown) {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A digest: equal for equal secrets, without revealing them. */
function secret(key: string, value: unknown) {
  const text = textOf(value);
  return text && `${key}:${createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH)}`;
}

function slackOf(value: unknown, key: string) {
  const { channel, user_id: userId, email, incoming_webhook: webhook } = value as SlackAddress;
  return channel ?? userId ?? email ?? secret(key, webhook?.url);
}

function msTeamsOf(value: unknown) {
  const address = value as MsTeamsAddress;
  if (!address.tenant_id && !address.service_url) return undefined;
  const channel = address.channel_name && address.team_id ? `${address.team_id}/${address.channel_name}` : undefined;
  return address.user_id ?? address.email ?? address.channel_id ?? address.conversation_id ?? channel;
}

function discordOf(value: unknown) {
  const { user_id: userId, channel_id: channelId } = value as DiscordAddress;
  return userId ?? channelId ?? undefined;
}

function objectOf(value: unknown, key: string) {
  return secret(key, JSON.stringify(value));
}

function pagerdutyOf(value: unknown, key: string) {
  return secret(key, (value as PagerdutyAddress).routing_key) ?? key;
}

function tokensOf(value: unknown, key: string) {
  return secret(key, inlineTokens(value)?.[0]);
}

/** Whether a recipient has an address, complete or not. */
export function hasAddress(recipient: unknown): boolean {
  return isJsonObject(recipient) && ADDRESS_FIELDS.some((key) => isGiven(recipient[key]));
}
