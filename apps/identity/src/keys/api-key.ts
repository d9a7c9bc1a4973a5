import { createHash, randomInt } from 'node:crypto';
import type { KeyMode } from '@tidings/contracts/core/context';

const PREFIXES = { production: 'pk_prod_', test: 'pk_test_' } as const satisfies Record<KeyMode, string>;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** As many characters as 256 random bits need. */
const KEY_LENGTH = 43;

/** A new key, random letters and digits (a double click selects all of it), with the prefix `pk_prod_` or `pk_test_`. */
export function makeApiKey(mode: KeyMode) {
  const characters = Array.from({ length: KEY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return PREFIXES[mode] + characters.join('');
}

/**
 * The stored hash of a key. A plain SHA-256 is enough: a key is not a password, 256 random bits cannot be guessed
 * from their hash, and every call would pay for a slow hash.
 */
export function hashApiKey(key: string) {
  return createHash('sha256').update(key).digest();
}
