import { createHash, randomBytes } from 'node:crypto';
import type { KeyMode } from '@tidings/contracts/core/context';

const PREFIXES = { production: 'pk_prod_', test: 'pk_test_' } as const satisfies Record<KeyMode, string>;
const KEY_BYTES = 32;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits of the largest number of `KEY_BYTES` bytes. */
const KEY_DIGITS = Math.ceil((KEY_BYTES * 8) / Math.log2(ALPHABET.length));

/** A new key, 256 random bits in letters and digits (a double click selects all of it), with the prefix `pk_prod_` or `pk_test_`. */
export function makeApiKey(mode: KeyMode, bytes: Buffer = randomBytes(KEY_BYTES)) {
  const radix = BigInt(ALPHABET.length);
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let digits = '';
  for (let digit = 0; digit < KEY_DIGITS; digit += 1) {
    digits = ALPHABET[Number(rest % radix)] + digits;
    rest /= radix;
  }
  return PREFIXES[mode] + digits;
}

/**
 * The stored hash of a key. A plain SHA-256 is enough: a key is not a password, 256 random bits cannot be guessed
 * from their hash, and every call would pay for a slow hash.
 */
export function hashApiKey(key: string) {
  return createHash('sha256').update(key).digest();
}
