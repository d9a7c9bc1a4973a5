import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { createVerifier, type VerifierOptions } from 'fast-jwt';

/** How far a vendor's clock may be ahead of ours. */
const AHEAD_MS_MAX = 5 * MINUTE_MS;

/** Whether two texts are equal; the time does not depend on where they differ. */
export function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
}

/** The HMAC of these parts, one after another. @param key a text in UTF-8, or bytes. */
export function hmacOf(
  algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512',
  key: string | Buffer,
  parts: readonly (string | Buffer)[],
  encoding: 'hex' | 'base64',
): string {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  return hmac.digest(encoding);
}

/**
 * Whether a key signed these parts (ECDSA with SHA-256).
 * @param publicKey SubjectPublicKeyInfo in base64, without the lines of PEM. @param signature DER in base64.
 */
export function isSignedByKey(publicKey: string, signature: string, parts: readonly (string | Buffer)[]): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return verify(
      'sha256',
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
      key,
      Buffer.from(signature, 'base64'),
    );
  } catch {
    return false; // no key, or no signature of its form
  }
}

/** The claims of a token that is valid at `nowMs`; undefined for another one. */
export function claimsOf<Claims extends object>(
  token: string,
  nowMs: number,
  options: Partial<VerifierOptions> & { key: string },
): Claims | undefined {
  try {
    return (createVerifier({ ...options, clockTimestamp: nowMs }) as (token: string) => Claims)(token);
  } catch {
    return undefined;
  }
}

/** Whether a claim is the SHA-256 of this content, in hex. */
export function isHashOf(given: unknown, content: string | Buffer): boolean {
  return typeof given === 'string' && isEqual(createHash('sha256').update(content).digest('hex'), given.toLowerCase());
}

/** Whether a time of a vendor is at most `agoMs` old, and not of the future. `atMs` may be `NaN`. */
export function isWithin(atMs: number, nowMs: number, agoMs: number): boolean {
  return atMs <= nowMs + AHEAD_MS_MAX && atMs >= nowMs - agoMs;
}
