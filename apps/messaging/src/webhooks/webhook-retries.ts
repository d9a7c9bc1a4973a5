import { DAY_MS, MINUTE_MS, SECOND_MS } from '@tidings/contracts/core/duration';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';

/** Delays after the first attempts, in seconds; later ones have the last. */
const DELAYS_S = [5, 10, 20, 40, 60, 120, 240, 480, 720, 900];
const ATTEMPTS_MAX = 296;
/** Attempts are made for three days, also where pauses of the receiver make them fewer. */
const WINDOW_MS = 3 * DAY_MS;
const PAUSE_MS_MAX = MINUTE_MS;
/** A receiver that accepted nothing for so long is not called any more, after at least `FAILURES_MIN` rounds. */
const FAILING_MS_MAX = 3 * DAY_MS;
const FAILURES_MIN = 10;

/** A failed attempt of a delivery that may be repeated. */
interface FailedAttempt {
  /** From 1. */
  readonly number: number;
  /** Since the begin of the retry window. */
  readonly ageMs: number;
  /** `Retry-After` of the receiver. */
  readonly retryAfterMs?: number;
}

/**
 * Delay until the next attempt in ms: 5, 10, 20, 40, 60, 120, 240, 480, 720, 900 s, then every 15 minutes, or a longer `Retry-After`.
 * Undefined after the last attempt, three days after the first.
 * @param secondMs the length of a second, for specs.
 */
export function nextAttemptMs({ number, ageMs, retryAfterMs = 0 }: FailedAttempt, secondMs = SECOND_MS): number | undefined {
  const delayMs = Math.max(DELAYS_S[Math.min(number, DELAYS_S.length) - 1]! * secondMs, retryAfterMs);
  return number >= ATTEMPTS_MAX || ageMs + delayMs > WINDOW_MS ? undefined : delayMs;
}

/** Pause of a receiver that accepted nothing in `failures` rounds in a row, in ms: doubles up to a minute; 0 without failures. */
export function pauseAfter(failures: number, firstMs: number): number {
  return failures === 0 ? 0 : retryDelayMs(failures, PAUSE_MS_MAX, firstMs);
}

/** Whether a receiver fails for good. */
export function isFailingForGood(failures: number, failingMs: number): boolean {
  return failures >= FAILURES_MIN && failingMs >= FAILING_MS_MAX;
}
