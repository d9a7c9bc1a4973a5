import { invalid } from '@tidings/contracts/core/refusals';
import { isHeader } from '@tidings/contracts/messaging/webhook-address';
import type { CallMethod, CallOverride } from '../call-override';
import type { Recipient, WebhookTarget } from '../recipient';

/** The target of one request, and its headers. */
export interface Destination {
  readonly url: URL;
  readonly method: CallMethod;
  /** Headers of recipient and send; names in lower case, without those that only Tidings sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request goes to the configured URL: only there may the configuration's secrets be used. */
  readonly isConfigured: boolean;
}

/** Settings that a send may replace. */
export const OVERRIDABLE = ['url', 'authorization'] as const;
type HttpOverride = CallOverride<(typeof OVERRIDABLE)[number]>;

/**
 * The URL of the send, else that of a webhook's recipient, else the configured one; each with the headers that belong to it.
 * @throws ServiceError when a header cannot be sent.
 */
export function destinationOf(configured: URL, recipient: Recipient, { url: direct, method, headers, config }: HttpOverride): Destination {
  const given = direct ?? config.url;
  const target = given === undefined && recipient.channel === 'webhook' ? recipient.webhook : undefined;
  const url = new URL(given ?? target?.url ?? configured);
  url.hash = '';
  return {
    url,
    method: method ?? target?.method ?? 'POST',
    headers: withoutReserved({
      ...(target && headersOf(target)),
      ...(config.authorization !== undefined && { authorization: config.authorization }),
      ...headers,
    }),
    isConfigured: url.href === configured.href,
  };
}

function headersOf({ headers = {}, authentication }: WebhookTarget) {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (authentication?.mode === 'bearer') return { ...own, authorization: bearer(authentication.token ?? '') };
  if (authentication?.mode !== 'basic') return own;
  const { username, password } = authentication;
  return { ...own, authorization: `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}` };
}

function bearer(token: string) {
  const value = `Bearer ${token}`;
  if (isHeader(['authorization', value])) return value;
  throw invalid('webhook.authentication.token must be a text in one line, and not too long for a header');
}

/** Headers that identify sender and message, and those that HTTP itself needs. */
const RESERVED = new Set([
  ...['courier-signature', 'x-courier-message-id', 'idempotency-key'],
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer', 'accept-encoding'],
]);

function withoutReserved(headers: Record<string, string>) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !RESERVED.has(name) && !name.startsWith('proxy-')));
}
