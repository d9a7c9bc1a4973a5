import { setTimeout as delay } from 'node:timers/promises';

/**
 * Pause before retry `attempt` (the first retry is attempt 1), in ms: doubles from `firstMs` up to `maxMs`. Its upper half is
 * random, so that callers that failed together do not retry together.
 */
export function retryDelayMs(attempt: number, maxMs = 5_000, firstMs = 50): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 16));
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

/** Waits before retry `attempt` (see `retryDelayMs`), at most until the signal aborts. */
export async function waitForRetry(attempt: number, maxMs: number | undefined, signal: AbortSignal): Promise<void> {
  await delay(retryDelayMs(attempt, maxMs), undefined, { signal }).catch(() => {});
}
