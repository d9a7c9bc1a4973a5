import { createHash, randomBytes } from 'node:crypto';
import type { KeyMode } from '@tidings/contracts/core/context';

const PREFIXES = { production: 'pk_prod_', test: 'pk_test_' } as const satisfies Record<KeyMode, string>;
const KEY_BYTES = 32;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits of the largest number of `KEY_BYTES` bytes. */
const KEY_DIGITS = Math.ceil((KEY_BYTES * 8) / Math.log2(ALPHABET.length));

/** A new key, 256 random bits in letters and digits (a double click takes all of it), `pk_prod_…` or `pk_test_…` before them. */
export function makeApiKey(mode: KeyMode, bytes: Buffer = randomBytes(KEY_BYTES)): string {
  const radix = BigInt(ALPHABET.length);
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let digits = '';
  for (let place = 0; place < KEY_DIGITS; place += 1) {
    digits = ALPHABET[Number(rest % radix)] + digits;
    rest /= radix;
  }
  return PREFIXES[mode] + digits;
}

/**
 * What is stored of a key. A plain SHA-256 is enough: a key is not a password, 256 random bits cannot be guessed
 * from their hash, and a slow hash would be paid by every call.
 */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
