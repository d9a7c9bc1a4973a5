import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a loop may keep the event loop's turn, in ms. */
export const TURN_MS = 10;

/** Lets a loop over many small pieces of work give way to everything else, every few milliseconds. */
export class EventLoopYielder {
  private since = performance.now();

  /** Between two pieces: resolves at once while the turn is young, else in the next one. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.since < TURN_MS) return;
    await nextTurn();
    this.since = performance.now();
  }
}
