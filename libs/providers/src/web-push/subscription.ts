import { ECDH } from 'node:crypto';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { isHttpUrl } from '@tidings/contracts/core/http-url';
import { CURVE, type SubscriptionKeys } from './encrypt';

/** Where a browser gets its messages, and how they are encrypted for it. */
export interface Subscription extends SubscriptionKeys {
  readonly endpoint: URL;
}

/** The subscription in a token: the JSON of a browser's `PushSubscription`. Undefined for any other text. */
export function parseSubscription(token: string): Subscription | undefined {
  let value: unknown;
  try {
    value = JSON.parse(token);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || !isJsonObject(value.keys) || !isHttpUrl(value.endpoint)) return undefined;
  const endpoint = new URL(value.endpoint);
  const [p256dh, auth] = [bytesOf(value.keys.p256dh), bytesOf(value.keys.auth)];
  if (endpoint.protocol !== 'https:' || auth?.length !== 16 || !p256dh || !isPublicKey(p256dh)) return undefined;
  return { endpoint, p256dh, auth };
}

/** The bytes of base64url, or of base64; undefined for any other value. */
export function bytesOf(text: unknown): Buffer | undefined {
  return typeof text === 'string' && /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Whether it is a point on the curve, uncompressed. */
export function isPublicKey(bytes: Uint8Array): boolean {
  try {
    return bytes.length === 65 && ECDH.convertKey(bytes, CURVE).length === 65;
  } catch {
    return false;
  }
}

/** Hosts of the services of Chrome, Firefox, Safari and Edge. A browser may name any other one. */
const SERVICES = /^(?:fcm\.googleapis\.com|updates\.push\.services\.mozilla\.com|web\.push\.apple\.com|[\w.-]+\.notify\.windows\.com)$/;

/** Whether the endpoint is at the service of a wide-spread browser: its failures are evidence about the configuration. */
export function isAtService({ hostname, port }: URL): boolean {
  return SERVICES.test(hostname) && port === '';
}
