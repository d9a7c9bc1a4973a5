import { monotonicMs } from './clock';

/** How long calls may be open after the end of the period; then the measurement fails. */
const ANSWER_MS_MAX = 15_000;

export interface CallTimings {
  /** From the first call until the last answer. */
  elapsedMs: number;
  /** Duration of each call in ms. */
  latencies: Float64Array;
  /** Wrong answers, counted by what was answered. */
  wrong: Map<string, number>;
}

/**
 * Calls from `count` callers for `durationMs`. Each caller waits for its answer before its next call; calls in flight at the end are
 * awaited. `call` resolves with a description of a wrong answer, or with `undefined`. @throws when calls stay open
 */
export async function callRepeatedly(
  durationMs: number,
  count: number,
  call: (caller: number) => Promise<string | undefined>,
): Promise<CallTimings> {
  const latencies: number[] = [];
  const wrong = new Map<string, number>();
  const runStartedAt = monotonicMs();
  const until = runStartedAt + durationMs;
  const caller = async (_: unknown, index: number) => {
    for (let startedAt = monotonicMs(); startedAt < until; startedAt = monotonicMs()) {
      const fault = await call(index);
      latencies.push(monotonicMs() - startedAt);
      if (fault !== undefined) wrong.set(fault, (wrong.get(fault) ?? 0) + 1);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const limitMs = durationMs + ANSWER_MS_MAX;
    timer = setTimeout(() => reject(new Error(`Calls were still open after ${limitMs / 1000} s`)), limitMs);
  });
  try {
    await Promise.race([Promise.all(Array.from({ length: count }, caller)), late]);
  } finally {
    clearTimeout(timer);
  }
  return { elapsedMs: monotonicMs() - runStartedAt, latencies: Float64Array.from(latencies), wrong };
}
