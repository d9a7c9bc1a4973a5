import { createHash } from 'node:crypto';
import { ServiceError } from '@tidings/contracts/core/errors';
import { assertStorable } from '@tidings/contracts/core/text';
import { readExpiryDate } from '@tidings/contracts/identity/expiry-date';
import {
  PUSH_TOKEN_DETAILS_BYTES_MAX,
  type PushProviderKey,
  type PushTokenStatus,
  type TokenDevice,
  type TokenTracking,
  type UserToken,
  type UserTokenEntry,
} from '@tidings/contracts/identity/user-tokens';
import { defaultExpiry } from './default-expiry';
import { EXPIRED } from './token-status';

/** A stored token. */
export interface TokenRow {
  token: string;
  provider_key: PushProviderKey;
  device: TokenDevice | null;
  tracking: TokenTracking | null;
  properties: unknown;
  expires_at: Date | null;
  status: PushTokenStatus;
  status_reason: string | null;
}

export const TOKEN_COLUMNS = 'token, provider_key, device, tracking, properties, expires_at, status, status_reason';

/** The stored form of a registration; objects as JSON texts. */
export interface StoredToken {
  hash: Buffer;
  token: string;
  providerKey: PushProviderKey;
  device: string | null;
  tracking: string | null;
  properties: string | null;
  /** Null for never. */
  expiresAt: Date | null;
  bytes: number;
}

/** The key of a token in the table: its SHA-256. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * The stored form of a registration made at `now`. Throws `invalid_request` for fields that cannot be stored or are too large; `path`
 * is the entry's path in the request (`''` for the request itself). No message repeats the token.
 */
export function toStored(entry: UserTokenEntry, path: string, now: Date): StoredToken {
  const { token, provider_key, device, tracking, properties, expiry_date, ...rest } = entry;
  rest satisfies Record<string, never>;
  assertStorable(entry, path);
  const details = { device: textOf(device), tracking: textOf(tracking), properties: textOf(properties) };
  const bytes = Object.values(details).reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0);
  if (bytes > PUSH_TOKEN_DETAILS_BYTES_MAX) {
    throw new ServiceError(
      'invalid_request',
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

/** The token as clients receive it at `now` (ms since the epoch): an expired token is revoked. */
export function toUserToken(row: TokenRow, now: number): UserToken {
  const { token, provider_key, device, tracking, properties, expires_at } = row;
  const { status, status_reason } = statusAt(row, now);
  return {
    token,
    provider_key,
    ...(device !== null && { device }),
    ...(tracking !== null && { tracking }),
    expiry_date: expires_at === null ? false : expires_at.toISOString(),
    ...(properties !== null && { properties }),
    status,
    ...(status_reason !== null && { status_reason }),
  };
}

/**
 * Status and reason at `now`. Expiry follows from the date and is not stored as a status: a stored copy could only be late.
 */
function statusAt(
  { status, status_reason, expires_at }: Pick<TokenRow, 'status' | 'status_reason' | 'expires_at'>,
  now: number,
): { status: PushTokenStatus; status_reason: string | null } {
  const expired = status !== 'revoked' && isPast(expires_at, now);
  return expired ? { status: 'revoked', status_reason: EXPIRED } : { status, status_reason };
}

export function isPast(expiresAt: Date | null, now: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= now;
}

function expiresAt(date: UserTokenEntry['expiry_date'], now: Date): Date | null {
  if (date === undefined || date === null) return defaultExpiry(now);
  const read = readExpiryDate(date);
  if (read === undefined) throw new Error('Expiry date cannot be parsed: the contract should have refused it');
  return read === false ? null : read;
}

function textOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
