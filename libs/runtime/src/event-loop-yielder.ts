import { setImmediate as nextIteration } from 'node:timers/promises';

/** Longest time, in ms, that a loop may block the event loop. */
export const SLICE_MS = 10;

/** Yields to the event loop every `SLICE_MS`, for loops over many small pieces of work. */
export class EventLoopYielder {
  private since = performance.now();

  /** To be awaited between two pieces: resolves at once before `SLICE_MS` have passed, else in the next iteration of the event loop. */
  async yieldIfDue() {
    if (performance.now() - this.since < SLICE_MS) return;
    await nextIteration();
    this.since = performance.now();
  }
}
