import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { durationOf } from '@tidings/contracts/core/duration';
import { invalid } from '@tidings/contracts/core/refusals';
import {
  IDEMPOTENCY_EXPIRATION_HEADER,
  IDEMPOTENCY_KEY_HEADER,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  KEY_RETENTION_MS_MAX,
  KEY_RETENTION_MS_MIN,
  RequestKey,
} from '@tidings/contracts/core/idempotency';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { assertStorable } from '@tidings/contracts/core/text';
import { USER_SCOPE_PREFIX } from '@tidings/contracts/identity/issued-tokens';
import type { Caller } from '../auth/caller';

/** Numbers above are milliseconds: as seconds they would be after the year 5138. */
const SECONDS_MAX = 100_000_000_000;
/** A date, optionally with time of day and offset; without an offset it is UTC. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;
const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** The parts of a request that determine its key. */
export interface KeyedParts {
  headers: IncomingHttpHeaders;
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>;
}

/**
 * The idempotency key of a request with this parsed body (`undefined` without one); `undefined` without the header.
 * @throws ServiceError `invalid_request` for an invalid key or expiration.
 */
export function requestKeyOf(operation: AnyOperation, caller: Caller, { headers, params }: KeyedParts, body: unknown, now: number) {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const text = String(key);
  if (text.length === 0 || text.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw invalid(`${IDEMPOTENCY_KEY_HEADER} must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters (got ${text.length})`);
  }
  assertStorable(text, IDEMPOTENCY_KEY_HEADER);
  const expiration = headers[IDEMPOTENCY_EXPIRATION_HEADER];
  const until = expiration === undefined ? now + KEY_RETENTION_MS_MIN : readExpiration(String(expiration), now);
  const expiresAt = Math.min(now + KEY_RETENTION_MS_MAX, Math.max(now + KEY_RETENTION_MS_MIN, until));

  const { method, path } = operation;
  const scope = JSON.stringify([text, method, path, params, ownerOf(operation, caller)]);
  // With the scope, so that a stored hash says nothing about the body to those who do not know the key.
  const bodyHash = hash('sha256', scope + JSON.stringify(body, inOrder), 'base64url');
  return new RequestKey(hash('sha256', scope, 'base64url'), expiresAt, bodyHash, text);
}

/** For `JSON.stringify`: objects with their keys in order, so that their text does not depend on it. */
function inOrder(_key: string, value: unknown) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const object = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, object[key]]),
  );
}

/**
 * The callers that share an answer: all API keys of the workspace with the same mode, because a simulated send must not replace a
 * real one. Tokens share it only for the same users, and an answer with a credential belongs to one API key.
 */
function ownerOf({ secretAnswer }: AnyOperation, { isToken, keyId, mode, scopes }: Caller) {
  const simulated = mode === 'test' ? ['test'] : [];
  const users = isToken ? ['token', ...scopes.filter((scope) => scope.startsWith(USER_SCOPE_PREFIX)).sort()] : [];
  return [...simulated, ...users, ...(secretAnswer ? [keyId] : [])];
}

/** The expiration in ms since the epoch, from seconds or ms since the epoch, ISO 8601, or a duration from now (`1 day`). */
function readExpiration(text: string, now: number) {
  const value = text.trim();
  if (/^\d{1,15}$/.test(value)) return Number(value) > SECONDS_MAX ? Number(value) : Number(value) * 1_000;
  if (ISO_8601.test(value)) {
    const instant = Date.parse(OFFSET.test(value) || !/[T ]/i.test(value) ? value : `${value}Z`);
    if (!Number.isNaN(instant)) return instant;
  }
  const duration = durationOf(value);
  if (duration !== undefined) return now + duration;
  throw invalid(
    `${IDEMPOTENCY_EXPIRATION_HEADER} must be an instant (ISO 8601, or seconds or ms since the epoch) or a time from now as "1 day" (got ${JSON.stringify(value.slice(0, 60))})`,
  );
}
