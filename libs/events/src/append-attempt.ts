import type { ServiceError } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';

/** Longest and shortest time an attempt may stay unanswered before its outcome counts as unknown. */
const ATTEMPT_MS_MAX = 5_000;
const ATTEMPT_MS_MIN = 50;

/** One call of the log for a batch of entries. */
export interface Attempt {
  /** How long to wait for the answer, in ms. */
  timeoutMs: number;
  /** An earlier attempt may have stored these entries. */
  again: boolean;
}

/** Stores the entries of a log. */
export interface Appender<Entry> {
  /**
   * Appends all entries or none, and resolves when they are durable.
   * @throws NotAppended, EntriesRejected; after any other error the outcome is unknown.
   */
  append(entries: readonly Entry[], attempt: Attempt): Promise<void>;
}

/** Nothing of this attempt was stored. */
export class NotAppended extends Error {
  /** @param isTransient the attempt is retried until the deadline. */
  constructor(
    override readonly cause: unknown,
    readonly isTransient = false,
  ) {
    super(reasonOf(cause));
  }
}

/** The log never accepts these entries. Their calls fail with `error`; the others are sent again. */
export class EntriesRejected extends Error {
  constructor(
    readonly entries: ReadonlySet<unknown>,
    readonly error: ServiceError,
  ) {
    super(error.message);
  }
}

/** How long an attempt at calls waits for its answer, in ms. Deadlines are by `performance.now()`. */
export function attemptMs(calls: readonly { deadline: number }[]): number {
  return Math.ceil(Math.min(ATTEMPT_MS_MAX, Math.max(ATTEMPT_MS_MIN, remainingMs(calls))));
}

/** The time until the first deadline of calls, in ms. */
export function remainingMs(calls: readonly { deadline: number }[]): number {
  return Math.max(0, Math.min(...calls.map(({ deadline }) => deadline)) - performance.now());
}
