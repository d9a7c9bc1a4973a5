import { readIsoDuration } from '../../core/iso-duration';
import { isInstant, readInstant } from '../../core/instant';
import { assertObject, invalid, invalidValue, isGiven } from '../../core/refusals';

/** The longest `expires_in`: ten years. */
export const EXPIRY_MS_MAX = 10 * 366 * 24 * 3_600_000;

/** Lower numbers are seconds (until the year 5138), others milliseconds (from 1973 on): realistic instants are unambiguous. */
const EPOCH_SECONDS_MAX = 1e11;

/** When an inbox item expires: at an instant, or a duration after it was made. */
export type Expiry = { atMs: number } | { inMs: number };

/**
 * Parses the expiry of a send: `expires_in`, ms or an ISO 8601 duration (`P1DT4H`), or `expires_at`, seconds or milliseconds since the
 * epoch or an ISO 8601 date with time. Texts of digits are numbers. `expires_at` wins; both must be valid. An instant in the past is
 * accepted.
 * @param where the field, for errors.
 * @throws ServiceError `invalid_request` naming field and value.
 */
export function parseExpiry(value: unknown, where: string): Expiry {
  assertObject(value, where, 'an object with expires_in or expires_at');
  const { expires_in: within, expires_at: at } = value;
  const inMs = isGiven(within) ? durationOf(within, `${where}.expires_in`) : undefined;
  if (isGiven(at)) return { atMs: instantOf(at, `${where}.expires_at`) };
  if (inMs === undefined) throw invalid(`${where} must have expires_in (a duration) or expires_at (an instant)`);
  return { inMs };
}

function durationOf(value: unknown, where: string) {
  const ms = numberOf(value) ?? (typeof value === 'string' ? readIsoDuration(value) : undefined);
  if (ms === undefined || !(ms > 0 && ms <= EXPIRY_MS_MAX)) {
    throw invalidValue(where, 'milliseconds or an ISO 8601 duration such as "P1DT4H", above 0 and at most 10 years', value);
  }
  return Math.ceil(ms);
}

function instantOf(value: unknown, where: string) {
  const epoch = numberOf(value);
  const ms = epoch === undefined ? readInstant(value)?.getTime() : epoch * (epoch < EPOCH_SECONDS_MAX ? 1_000 : 1);
  if (ms === undefined || !isInstant(Math.trunc(ms))) {
    throw invalidValue(where, 'an ISO 8601 date with time, or seconds or milliseconds since the epoch', value);
  }
  return Math.floor(ms);
}

function numberOf(value: unknown) {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,16}(?:\.\d{1,9})?$/.test(value) ? Number(value) : undefined;
}
