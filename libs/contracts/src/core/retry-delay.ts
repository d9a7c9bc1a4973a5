import { setTimeout as delay } from 'node:timers/promises';

const FIRST_DELAY_MS = 50;
const DELAY_MS_MAX = 5_000;

/**
 * Pause before retry `attempt` (the first retry is attempt 1), in ms: doubles from `firstMs` up to `maxMs`. Its upper half is
 * random, so that callers that failed together do not retry together.
 */
export function retryDelayMs(attempt: number, maxMs = DELAY_MS_MAX, firstMs = FIRST_DELAY_MS): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 16));
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

/** Waits before retry `attempt` (see `retryDelayMs`), at most until the signal aborts. */
export async function waitForRetry(attempt: number, maxMs: number | undefined, signal: AbortSignal): Promise<void> {
  await delay(retryDelayMs(attempt, maxMs), undefined, { signal }).catch(() => {});
}
