import type { CallContext } from './context';
import { DAY_MS } from './duration';
import { type ErrorCode, type ErrorShape, ServiceError } from './errors';
import type { HttpMethod, Scope } from './operation';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
export const IDEMPOTENCY_EXPIRATION_HEADER = 'x-idempotency-expiration';
/** Header of an answer that is replayed from an earlier request. */
export const REPLAYED_HEADER = 'idempotent-replayed';

export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
/** Bounds, in ms, of how long the answer to a key is stored; a requested time outside is clamped. */
export const KEY_RETENTION_MS_MIN = DAY_MS;
export const KEY_RETENTION_MS_MAX = 366 * DAY_MS;

/** A request's `Idempotency-Key`, forwarded to the service that answers. One object per request. */
export class RequestKey {
  /** Set with the answer: whether it is the answer of an earlier request. */
  replayed = false;

  constructor(
    /** SHA-256, in base64url, of the key, the method, the path and the owner of the answer (see the gateway). */
    readonly id: string,
    /** Until when the answer is stored, ms since the epoch. */
    readonly expiresAt: number,
    /** SHA-256, in base64url, of the body and what `id` is made of. Absent from gateways of earlier versions: any body is the same. */
    readonly bodyHash?: string,
    /** The client's text; present only in the process that received the request. */
    readonly text?: string,
  ) {}
}

/** A call under a key, running in the service that stores the answer. */
export interface KeyedCall {
  readonly workspaceId: string;
  /** `RequestKey.id`. */
  readonly id: string;
  /** `RequestKey.bodyHash`. */
  readonly bodyHash?: string;
  readonly callId: string;
  /** JSON text of the result of the command's transaction, once committed; a repeated call reuses it. */
  effect?: string;
}

/** The result of a call, as stored and replayed. */
export type Outcome = { readonly ok: unknown } | { readonly error: ErrorShape };

/** The outcome under a key, of this request or of an earlier one. */
export interface StoredOutcome {
  readonly outcome: Outcome;
  /** Whether it is the outcome of an earlier request. */
  readonly replayed: boolean;
}

/** A service's store of calls under a key: each key has one effect and one answer, however often the client repeats the request. */
export abstract class KeyedCalls {
  /**
   * The first outcome of the calls under `key`: the stored one, or the one of `work`, which gets a context with `keyedCall` instead of
   * the key. A `secret` answer is never stored: `work` makes it again from the stored result of its transaction.
   * @throws what `work` throws (stored if `isStoredError`); `keyInFlight` while an earlier call is running; `keyReused` if that had
   * another body.
   */
  abstract answer(context: CallContext, key: RequestKey, options: { secret: boolean }, work: Work): Promise<StoredOutcome>;
}

/** What runs once per key. */
export type Work = (context: CallContext) => Promise<unknown>;

/**
 * Errors that are stored as the outcome of a request, and replayed. After any other error nothing was done (not valid, not allowed,
 * or unavailable), so the client may correct the request and repeat it under the same key.
 */
const STORED_ERRORS = new Set<ErrorCode>(['not_found', 'conflict', 'payment_required', 'internal']);

/** Whether the error is stored as the outcome of its request. */
export function isStoredError({ code }: ErrorShape): boolean {
  return STORED_ERRORS.has(code);
}

/**
 * Lease of a call on its key, in ms. When its process dies the key is free afterwards; when the call is only slow another one may start
 * beside it, and one of the two takes effect. An SDK makes its last attempt one `Retry-After` after the second one: the key is free then.
 */
export const KEY_LEASE_MS = 2_000;

/** The error while another request with the same key is running. A later retry gets the answer of that request. */
export function keyInFlight(): ServiceError {
  return new ServiceError('conflict', `A request with this ${IDEMPOTENCY_KEY_HEADER} is being answered: try again in a moment`, {
    shouldRetry: true,
    retryAfterSeconds: KEY_LEASE_MS / 1000,
  });
}

/** The error of a request with another body than the first one under its key, of `firstAt`. */
export function keyReused(firstAt: Date): ServiceError {
  return new ServiceError(
    'key_reused',
    `${IDEMPOTENCY_KEY_HEADER} was first used at ${firstAt.toISOString()} with another body: nothing was done. Repeat that body, or use another key`,
  );
}

/** Whether an operation accepts an `Idempotency-Key`: every POST of the clients' interface. Other operations ignore it. */
export function acceptsIdempotencyKey({ method, scope }: { method?: HttpMethod; scope: Scope }): boolean {
  return method === 'POST' && scope !== 'internal';
}
