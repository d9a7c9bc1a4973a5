const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** How long a message is tried at all, counted from its acceptance. */
export const MESSAGE_LIMIT_MS = 72 * HOUR_MS;

/** Attempts that follow each other quickly, before the hours begin. */
const QUICK_ATTEMPTS = 10;
const QUICK_DELAY_MS_MAX = 60 * SECOND_MS;
const LONG_DELAYS_MS = [1 * HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS];
/** A receiver may ask us to wait, not to wait for ever. */
const RETRY_AFTER_MS_MAX = 3 * HOUR_MS;
const JITTER = 0.2;

/**
 * How long to wait after attempt `attempt` (from 1) failed, in ms. The first ten double from one second to one minute,
 * then 1 h, 2 h, and every 3 h. ±20 % jitter, so that a receiver that recovers does not meet every waiting message at once;
 * `retryAfterMs`, the receiver's own wish, wins where it is longer. `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, random: number, retryAfterMs = 0): number {
  const planned =
    attempt < QUICK_ATTEMPTS
      ? Math.min(SECOND_MS * 2 ** (attempt - 1), QUICK_DELAY_MS_MAX)
      : LONG_DELAYS_MS[Math.min(attempt - QUICK_ATTEMPTS, LONG_DELAYS_MS.length - 1)]!;
  const jittered = planned * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX)));
}

/** Whether an attempt made `delayMs` from `nowMs` would come too late for a message accepted at `enqueuedAt`. */
export function isPastMessageLimit(enqueuedAt: number, nowMs: number, delayMs: number): boolean {
  return nowMs + delayMs > enqueuedAt + MESSAGE_LIMIT_MS;
}
