import { createHmac, randomBytes } from 'node:crypto';

/** Begins the secrets of Standard Webhooks. */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const MS_PER_SECOND = 1_000;

/**
 * The header `courier-signature`, by which a receiver verifies origin and integrity of a request: `t=<ms>,signature=<hex>`. The
 * signature is the HMAC-SHA256 of `<t>.<raw body>` under the shared secret, as text. Several secrets yield as many, in their order.
 */
export function courierSignature(secrets: readonly string[], body: string, nowMs: number): string {
  const signatures = secrets.map((secret) => createHmac('sha256', secret).update(`${nowMs}.${body}`).digest('hex'));
  return [`t=${nowMs}`, ...signatures.map((one) => `signature=${one}`)].join(',');
}

/** A new secret for `standardHeaders`. */
export function newWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * The headers of Standard Webhooks: id, timestamp in seconds, and for each secret a signature `v1,<base64>`, separated by blanks.
 * @param secrets `whsec_` and the key in base64.
 * @param id of the event, the same for every attempt.
 */
export function standardHeaders(secrets: readonly string[], id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / MS_PER_SECOND));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
