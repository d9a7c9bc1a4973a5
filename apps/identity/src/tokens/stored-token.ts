import { createHash } from 'node:crypto';
import { invalid } from '@tidings/contracts/core/refusals';
import { assertStorable } from '@tidings/contracts/core/text';
import { readExpiryDate } from '@tidings/contracts/identity/expiry-date';
import { PUSH_TOKEN_DETAILS_BYTES_MAX, type UserTokenEntry } from '@tidings/contracts/identity/user-tokens';
import { defaultExpiry } from './default-expiry';

/** The stored form of a registration. */
export type StoredToken = ReturnType<typeof toStored>;

/** The key of a token in the table: its SHA-256. */
export function hashOf(token: string) {
  return createHash('sha256').update(token).digest();
}

/**
 * The stored form of a registration made at `now`. Throws `invalid_request` for fields that cannot be stored or are too large; `path`
 * is the entry's path in the request (`''` for the request itself). No message repeats the token.
 */
export function toStored(entry: UserTokenEntry, path: string, now: Date) {
  const { token, provider_key, device = null, tracking = null, properties = null, expiry_date, ...rest } = entry;
  rest satisfies Record<string, never>;
  assertStorable(entry, path);
  const details = { device, tracking, properties: properties as object | null };
  const bytes = Object.values(details).reduce((sum, value) => sum + (value === null ? 0 : Buffer.byteLength(JSON.stringify(value))), 0);
  if (bytes > PUSH_TOKEN_DETAILS_BYTES_MAX) {
    throw invalid(
      `device, tracking and properties${path === '' ? '' : ` of ${path}`} would take ${bytes} bytes together, at most ${PUSH_TOKEN_DETAILS_BYTES_MAX} are stored`,
    );
  }
  return {
    hash: hashOf(token),
    token,
    providerKey: provider_key,
    ...details,
    expiresAt: expiresAt(expiry_date, now),
    bytes: bytes + Buffer.byteLength(JSON.stringify(token)),
  };
}

function expiresAt(date: UserTokenEntry['expiry_date'], now: Date) {
  if (date === undefined || date === null) return defaultExpiry(now);
  const read = readExpiryDate(date);
  if (read === undefined) throw new Error('Expiry date cannot be parsed: the contract should have refused it');
  return read === false ? null : read;
}
