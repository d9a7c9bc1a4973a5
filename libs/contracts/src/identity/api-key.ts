import { createHash, randomInt } from 'node:crypto';
import type { KeyMode } from '../core/context';

const PREFIXES = { production: 'pk_prod_', test: 'pk_test_' } as const satisfies Record<KeyMode, string>;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** As many characters as 256 random bits need. */
const KEY_LENGTH = 43;
const HINT_LENGTH = 4;
/** No hint for shorter keys, which operators choose: four characters would reveal too much. */
const HINTED_LENGTH_MIN = 16;

/** A new key, random letters and digits (a double click selects all of it), with the prefix `pk_prod_` or `pk_test_`. */
export function makeApiKey(mode: KeyMode): string {
  return makeApiKeys()[mode];
}

/** A new key of each mode, of which only one may be used: both have the same random characters. */
export function makeApiKeys(): Record<KeyMode, string> {
  const characters = Array.from({ length: KEY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return { production: PREFIXES.production + characters, test: PREFIXES.test + characters };
}

/**
 * The stored hash of a key, lower-case hex. A plain SHA-256 is enough: a key is not a password, 256 random bits cannot be guessed
 * from their hash, and every call would pay for a slow hash.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** What leaves the process that made a key: its hash, and the end by which operators recognise it. */
export function hashedKey(key: string): { hash: string; hint?: string } {
  return { hash: hashApiKey(key), ...(key.length >= HINTED_LENGTH_MIN && { hint: key.slice(-HINT_LENGTH) }) };
}
