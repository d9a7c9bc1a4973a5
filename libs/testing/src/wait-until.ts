import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for, for the error's text. */
  what?: string;
  /** Guard against hanging, never part of what is tested. Default 45 s. */
  timeoutMs?: number;
  /** Pause between two looks. Default 10 ms. */
  intervalMs?: number;
}

/** The clock itself, which goes on where a story makes `performance.now` stand still. */
const now = performance.now.bind(performance);

/**
 * Looks until `condition` gives something true, and resolves with it. An error it throws counts as "not yet"; the last one
 * is the cause of the error that ends the waiting.
 */
export async function waitUntil<Result>(
  condition: () => Result | Promise<Result>,
  { what = 'the condition', timeoutMs = 45_000, intervalMs = 10 }: WaitOptions = {},
): Promise<NonNullable<Result>> {
  const until = now() + timeoutMs;
  for (;;) {
    // Asked before the look, so that one comes after the time: a machine that stood still must not have used it all up.
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
