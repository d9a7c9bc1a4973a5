import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for, for the error's message. */
  what?: string;
  /** Time limit so that a failing test ends; not part of the test. Default 45 s. */
  timeoutMs?: number;
  /** Polling interval. Default 10 ms. */
  intervalMs?: number;
}

/** The real clock, unaffected by tests that replace `performance.now`. */
const now = performance.now.bind(performance);

/**
 * Polls until `condition` returns a truthy value, and resolves with it. An error of `condition` counts as not yet; the last one is
 * the cause of the error thrown at the time limit.
 */
export async function waitUntil<Result>(
  condition: () => Result | Promise<Result>,
  { what = 'the condition', timeoutMs = 45_000, intervalMs = 10 }: WaitOptions = {},
): Promise<NonNullable<Result>> {
  const until = now() + timeoutMs;
  for (;;) {
    // Checked before polling, so that one poll follows the time limit even if the machine paused meanwhile.
    const last = now() >= until;
    let cause: unknown;
    try {
      const result = await condition();
      if (result) return result;
    } catch (error) {
      cause = error;
    }
    if (last) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`, { cause });
    await delay(intervalMs);
  }
}
