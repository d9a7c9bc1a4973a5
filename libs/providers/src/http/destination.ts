import { ServiceError } from '@tidings/contracts/core/errors';
import { isHeader } from '@tidings/contracts/messaging/webhook-address';
import type { CallMethod, CallOverride } from '../call-override';
import type { Recipient, WebhookPlace } from '../recipient';

/** Where one request goes, and what it says beside its message. */
export interface Destination {
  readonly url: URL;
  readonly method: CallMethod;
  /** Of the recipient and of the send; names in lower case, none that are ours alone. */
  readonly headers: Readonly<Record<string, string>>;
  /** It goes where the configuration says: only there may its secrets be used. */
  readonly isConfigured: boolean;
}

/** What a send may put in the place of settings. */
export const OVERRIDABLE = ['url', 'authorization'] as const;
type HttpOverride = CallOverride<(typeof OVERRIDABLE)[number]>;

/**
 * The URL of the send, else that of a webhook's recipient, else the configured one; each with the headers that belong to it.
 * @throws ServiceError where these cannot be sent.
 */
export function destinationOf(configured: URL, recipient: Recipient, { url: direct, method, headers, config }: HttpOverride): Destination {
  const given = direct ?? config.url;
  const place = given === undefined && recipient.channel === 'webhook' ? recipient.webhook : undefined;
  const url = new URL(given ?? place?.url ?? configured);
  url.hash = '';
  return {
    url,
    method: method ?? place?.method ?? 'POST',
    headers: withoutOurs({
      ...(place && headersOf(place)),
      ...(config.authorization !== undefined && { authorization: config.authorization }),
      ...headers,
    }),
    isConfigured: url.href === configured.href,
  };
}

function headersOf({ headers = {}, authentication }: WebhookPlace): Record<string, string> {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (authentication?.mode === 'bearer') return { ...own, authorization: bearer(authentication.token ?? '') };
  if (authentication?.mode !== 'basic') return own;
  const { username, password } = authentication;
  return { ...own, authorization: `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}` };
}

function bearer(token: string): string {
  const value = `Bearer ${token}`;
  if (isHeader(['authorization', value])) return value;
  throw new ServiceError('invalid_request', 'webhook.authentication.token must be a text in one line, and not too long for a header');
}

/** What tells who we are and which message it is, and what HTTP itself needs to be right. */
const OURS = new Set([
  ...['courier-signature', 'x-courier-message-id', 'idempotency-key'],
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer', 'accept-encoding'],
]);

function withoutOurs(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OURS.has(name) && !name.startsWith('proxy-')));
}
