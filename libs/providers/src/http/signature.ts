import { createHmac } from 'node:crypto';

/**
 * The header by which a receiver verifies origin and integrity of a request: `t=<ms>,signature=<hex>`. The signature is the
 * HMAC-SHA256 of `<t>.<raw body>` under the shared secret.
 */
export function signatureOf(secret: string, body: string, nowMs: number): string {
  return `t=${nowMs},signature=${createHmac('sha256', secret).update(`${nowMs}.${body}`).digest('hex')}`;
}
