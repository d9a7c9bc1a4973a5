import { DEFAULT_LIMITS } from '@tidings/contracts/messaging/timing/timeouts';
import { RETRY_AFTER_MS_MAX } from '@tidings/providers/provider';
import type { RetryWindow } from './leased-delivery';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Attempts with delays up to a minute; after them delays are hours. */
const QUICK_ATTEMPTS = 10;
const QUICK_DELAY_MS_MAX = 60 * SECOND_MS;
const LONG_DELAYS_MS = [1 * HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS];
const JITTER = 0.2;

interface FailedAttempt {
  /** From 1. */
  readonly number: number;
  /** Another route follows, so delays stay below a minute. */
  readonly hasNext: boolean;
  /** `Retry-After` of the receiver. */
  readonly retryAfterMs?: number;
}

/**
 * Delay after a failed attempt, in ms. The first ten delays double from one second to one minute, then 1 h, 2 h, and every 3 h; while
 * another route is left, every minute. ±20 % jitter, so that a receiver that recovers does not get every waiting message at once; a longer
 * `Retry-After` wins, up to `RETRY_AFTER_MS_MAX`. `random` is in [0, 1); `firstMs` replaces the first second.
 */
export function retryDelayMs({ number, hasNext, retryAfterMs = 0 }: FailedAttempt, random: number, firstMs = SECOND_MS): number {
  const isQuick = hasNext || number < QUICK_ATTEMPTS;
  const planned = isQuick
    ? Math.min(firstMs * 2 ** Math.min(number - 1, QUICK_ATTEMPTS), QUICK_DELAY_MS_MAX)
    : LONG_DELAYS_MS[Math.min(number - QUICK_ATTEMPTS, LONG_DELAYS_MS.length - 1)]!;
  const jittered = planned * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX)));
}

/** End of the retry window, ms since the epoch: the provider's own limit, or that of the message. */
export function retryWindowEnd({ sinceMs, untilMs }: Pick<RetryWindow, 'sinceMs' | 'untilMs'>): number {
  return untilMs ?? sinceMs + DEFAULT_LIMITS.messageMs;
}
