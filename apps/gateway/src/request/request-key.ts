import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { durationOf } from '@tidings/contracts/core/duration';
import { ServiceError } from '@tidings/contracts/core/errors';
import {
  IDEMPOTENCY_EXPIRATION_HEADER,
  IDEMPOTENCY_KEY_HEADER,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  KEY_KEPT_MS_MAX,
  KEY_KEPT_MS_MIN,
  RequestKey,
} from '@tidings/contracts/core/idempotency';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { assertStorable } from '@tidings/contracts/core/text';
import { USER_SCOPE_PREFIX } from '@tidings/contracts/identity/issued-tokens';
import type { Caller } from '../auth/caller';

/** Numbers above it are milliseconds: as seconds they would lie in the year 5138. */
const SECONDS_MAX = 100_000_000_000;
/** A date, and a time of day with its offset where there is one; without an offset it is UTC. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;
const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;
const SHOWN_LENGTH_MAX = 60;

/** What of a request its key is taken from. */
export interface KeyedParts {
  headers: IncomingHttpHeaders;
  /** Of the path, decoded. */
  params: Readonly<Record<string, string>>;
}

/**
 * The key under which a request is answered; `undefined` where it names none.
 * @throws ServiceError `invalid_request` for a key or an expiration that is none.
 */
export function requestKeyOf(
  operation: AnyOperation,
  caller: Caller,
  { headers, params }: KeyedParts,
  now: number,
): RequestKey | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const text = String(key);
  if (text.length === 0 || text.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw invalid(`${IDEMPOTENCY_KEY_HEADER} must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters (got ${text.length})`);
  }
  assertStorable(text, IDEMPOTENCY_KEY_HEADER);
  const expiration = headers[IDEMPOTENCY_EXPIRATION_HEADER];
  const until = expiration === undefined ? now + KEY_KEPT_MS_MIN : readExpiration(String(expiration), now);
  const expiresAt = Math.min(now + KEY_KEPT_MS_MAX, Math.max(now + KEY_KEPT_MS_MIN, until));

  const { method, path } = operation;
  const scope = JSON.stringify([text, method, path, params, ownerOf(operation, caller)]);
  return new RequestKey(hash('sha256', scope, 'base64url'), expiresAt, text);
}

/**
 * Who else is said the answer: whoever has a key to the workspace of the same mode, as what was only simulated must not stand for what
 * is to be sent. But no token learns what another user was answered, and no API key gets a credential that was issued for another one.
 */
function ownerOf({ secretAnswer }: AnyOperation, { isToken, keyId, mode, scopes }: Caller): readonly string[] {
  const simulated = mode === 'test' ? ['test'] : [];
  const users = isToken ? ['token', ...scopes.filter((scope) => scope.startsWith(USER_SCOPE_PREFIX)).sort()] : [];
  return [...simulated, ...users, ...(secretAnswer ? [keyId] : [])];
}

/** The instant in ms since the epoch: it comes as one, in seconds or milliseconds, as ISO 8601, or as the time from now (`1 day`). */
function readExpiration(text: string, now: number): number {
  const given = text.trim();
  if (/^\d{1,15}$/.test(given)) return Number(given) > SECONDS_MAX ? Number(given) : Number(given) * 1_000;
  if (ISO_8601.test(given)) {
    const instant = Date.parse(OFFSET.test(given) || !/[T ]/i.test(given) ? given : `${given}Z`);
    if (!Number.isNaN(instant)) return instant;
  }
  const duration = durationOf(given);
  if (duration !== undefined) return now + duration;
  throw invalid(
    `${IDEMPOTENCY_EXPIRATION_HEADER} must be an instant (ISO 8601, or seconds or ms since the epoch) or a time from now as "1 day" (got ${JSON.stringify(given.slice(0, SHOWN_LENGTH_MAX))})`,
  );
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
