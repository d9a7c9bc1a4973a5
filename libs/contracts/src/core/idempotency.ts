import type { CallContext } from './context';
import { type ErrorCode, type ErrorShape, ServiceError } from './errors';
import type { HttpMethod, Scope } from './operation';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
export const IDEMPOTENCY_EXPIRATION_HEADER = 'x-idempotency-expiration';
/** Stands on an answer that is the first one, said again. */
export const REPLAYED_HEADER = 'idempotent-replayed';

export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
const DAY_MS = 86_400_000;
/** The shortest time, in ms, that the answer to a key is kept; what is asked for is brought between the two. */
export const KEY_KEPT_MS_MIN = DAY_MS;
export const KEY_KEPT_MS_MAX = 366 * DAY_MS;

/** A request's `Idempotency-Key`, on its way to the service that answers. One object per request. */
export class RequestKey {
  /** Set when the answer arrives: it is that of an earlier request. */
  replayed = false;

  constructor(
    /** Stands for the key, the method, the path and whoever's answer it is (see the gateway): a SHA-256 in base64url. */
    readonly id: string,
    /** Until when the answer is kept, ms since the epoch. */
    readonly expiresAt: number,
    /** As the client said it; known where the request came in, and nowhere else. */
    readonly text?: string,
  ) {}
}

/** A call under a key, at work in the service that keeps the answer. */
export interface KeyedCall {
  readonly workspaceId: string;
  /** `RequestKey.id`. */
  readonly id: string;
  readonly callId: string;
  /** JSON text of what the command's transaction answered, once it is committed: it is not done again. */
  effect?: string;
}

/** How a call ended: what is kept of it, and said again. */
export type Outcome = { readonly ok: unknown } | { readonly error: ErrorShape };

export interface KeptOutcome {
  readonly outcome: Outcome;
  /** It is that of an earlier request. */
  readonly replayed: boolean;
}

/** A service's memory of calls under a key: each has one effect and one answer, however often it is asked for. */
export abstract class KeyedCalls {
  /**
   * The first outcome of the calls under the key of `context`: kept already, or that of `work`, which gets a context with the
   * `keyedCall` in place of the key. Where the answer is `secret` it is made again by `work` from what its transaction
   * answered, and never kept.
   * @throws what `work` throws, which is kept where `isKeptError` says so; `keyInFlight` while an earlier call is at work.
   */
  abstract answer(context: CallContext, key: RequestKey, options: { secret: boolean }, work: Work): Promise<KeptOutcome>;
}

export type Work = (context: CallContext) => Promise<unknown>;

/**
 * Errors that are the outcome of a request, and are said again. The others say that nothing was done: what was asked is not valid
 * or not allowed, or not now. Trying again with the same key, the request mended, is then as good as the first time.
 */
const KEPT_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['not_found', 'conflict', 'payment_required', 'internal']);

export function isKeptError({ code }: ErrorShape): boolean {
  return KEPT_ERRORS.has(code);
}

/** What a request is told whose key another one holds that is not answered yet. Trying again brings that one's answer. */
export function keyInFlight(): ServiceError {
  return new ServiceError('conflict', `A request with this ${IDEMPOTENCY_KEY_HEADER} is being answered: try again in a moment`, {
    shouldRetry: true,
    retryAfterSeconds: 1,
  });
}

/** Whether requests of an operation may carry an `Idempotency-Key`: every POST of the clients' interface. On others it is ignored. */
export function takesKey({ method, scope }: { method?: HttpMethod; scope: Scope }): boolean {
  return method === 'POST' && scope !== 'internal';
}
