import { monotonicMs } from './clock';

/** A question that was not answered so long after the last one was asked is given up, and the stretch with it. */
const ANSWER_MS_MAX = 15_000;

export interface Stretch {
  /** From the first question until the last answer. */
  elapsedMs: number;
  /** What each answer took, in ms. */
  latencies: Float64Array;
  /** Questions that were answered otherwise than they should be, by what came instead. */
  wrong: Map<string, number>;
}

/**
 * Asks from `count` callers for `durationMs`: each waits for its answer before it asks again, and what is under way at the
 * end is waited for. `ask` resolves with what was wrong, or with `undefined`.
 */
export async function askFor(durationMs: number, count: number, ask: (caller: number) => Promise<string | undefined>): Promise<Stretch> {
  const latencies: number[] = [];
  const wrong = new Map<string, number>();
  const begunAt = monotonicMs();
  const until = begunAt + durationMs;
  const caller = async (_: unknown, index: number) => {
    for (let startedAt = monotonicMs(); startedAt < until; startedAt = monotonicMs()) {
      const fault = await ask(index);
      latencies.push(monotonicMs() - startedAt);
      if (fault !== undefined) wrong.set(fault, (wrong.get(fault) ?? 0) + 1);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const limitMs = durationMs + ANSWER_MS_MAX;
    timer = setTimeout(() => reject(new Error(`Questions were still open after ${limitMs / 1000} s`)), limitMs);
  });
  try {
    await Promise.race([Promise.all(Array.from({ length: count }, caller)), late]);
  } finally {
    clearTimeout(timer);
  }
  return { elapsedMs: monotonicMs() - begunAt, latencies: Float64Array.from(latencies), wrong };
}
