const FIRST_DELAY_MS = 50;
const DELAY_MS_MAX = 5_000;

/**
 * How long to wait before retry `attempt` (the first retry is attempt 1): doubling from 50 ms up to `maxMs`, of which the
 * upper half is drawn, so that those who failed together do not come back together.
 */
export function retryDelayMs(attempt: number, maxMs = DELAY_MS_MAX): number {
  const ceiling = Math.min(maxMs, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 16));
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}
