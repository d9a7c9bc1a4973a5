import { invalid } from '@tidings/contracts/core/refusals';
import { isHeader } from '@tidings/contracts/messaging/webhook-address';
import { type CallMethod, type CallOverride, withoutReserved } from '../call-override';
import { basicAuth } from '../credentials';
import type { Recipient, WebhookTarget } from '../recipient';

/** The target of one request, and its headers. */
export interface Destination {
  readonly url: URL;
  readonly method: CallMethod;
  /** Headers of recipient and send; names in lower case, without those that only Tidings sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request goes to the configured URL: only there may the configuration's secrets be used. */
  readonly isConfigured: boolean;
  /** It goes to the webhook of the recipient. */
  readonly isRecipients: boolean;
}

/** The configured URL, and the method of requests to it. */
interface Configured {
  readonly url?: URL;
  readonly method?: CallMethod;
}

/** Settings that a send may replace. */
export const OVERRIDABLE = ['url', 'authorization'] as const;
type HttpOverride = CallOverride<(typeof OVERRIDABLE)[number]>;

/**
 * The URL of the send, else that of a webhook's recipient, else the configured one; each with the headers that belong to it. Undefined
 * where there is none.
 * @throws ServiceError when a header cannot be sent.
 */
export function destinationOf(configured: Configured, recipient: Recipient, override: HttpOverride): Destination | undefined {
  const { url: direct, method, headers, config } = override;
  const given = direct ?? config.url;
  const target = given === undefined && recipient.channel === 'webhook' ? recipient.webhook : undefined;
  const chosen = given ?? target?.url ?? configured.url;
  if (chosen === undefined) return undefined;
  const url = new URL(chosen);
  url.hash = '';
  const isConfigured = url.href === configured.url?.href;
  return {
    url,
    method: method ?? target?.method ?? (isConfigured ? configured.method : undefined) ?? 'POST',
    headers: withoutReserved({
      ...(target && headersOf(target)),
      ...(config.authorization !== undefined && { authorization: config.authorization }),
      ...headers,
    }),
    isConfigured,
    isRecipients: target !== undefined,
  };
}

function headersOf({ headers = {}, authentication }: WebhookTarget) {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (authentication?.mode === 'bearer') return { ...own, authorization: bearer(authentication.token ?? '') };
  if (authentication?.mode !== 'basic') return own;
  const { username, password } = authentication;
  return { ...own, authorization: basicAuth(username ?? '', password ?? '') };
}

function bearer(token: string) {
  const value = `Bearer ${token}`;
  if (isHeader(['authorization', value])) return value;
  throw invalid('webhook.authentication.token must be a text in one line, and not too long for a header');
}
