import { createHmac, createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { createVerifier, type VerifierOptions } from 'fast-jwt';
import { LRUCache } from 'lru-cache';

/** How far a vendor's clock may be ahead of ours. */
const AHEAD_MS_MAX = 5 * MINUTE_MS;
/** Parsed keys by their text: parsing one takes twice as long as verifying by it. */
const parsedKeys = new LRUCache<string, KeyObject>({ max: 1_000, memoMethod: parseKey });

/** Whether two texts are equal; the time does not depend on where they differ. */
export function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
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
    const signed = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    return verify('sha256', signed, parsedKeys.memo(publicKey), Buffer.from(signature, 'base64'));
  } catch {
    return false; // no key, or no signature of its form
  }
}

/** @throws TypeError for a text that is no key. */
function parseKey(publicKey: string) {
  return createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
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
  return typeof given === 'string' && isEqual(hash('sha256', content), given.toLowerCase());
}

/** Whether a time of a vendor is at most `agoMs` old, and not of the future. `atMs` may be `NaN`. */
export function isWithin(atMs: number, nowMs: number, agoMs: number): boolean {
  return atMs <= nowMs + AHEAD_MS_MAX && atMs >= nowMs - agoMs;
}
