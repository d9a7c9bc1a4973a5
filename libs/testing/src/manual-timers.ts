import { setImmediate as settled } from 'node:timers/promises';
import { type Timer, Timers } from '@tidings/runtime/timers';

interface PendingTimer extends Timer {
  readonly act: () => void;
  /** Period of an interval, in ms. */
  readonly everyMs?: number;
  dueAt: number;
}

/** Timers whose time passes only in `advance`, independent of the machine's speed. */
export class ManualTimers extends Timers {
  private readonly pending = new Set<PendingTimer>();
  private nowMs = 0;

  /** Number of timers set. */
  get count(): number {
    return this.pending.size;
  }

  override now(): number {
    return this.nowMs;
  }

  override setTimeout(act: () => void, ms: number): Timer {
    return this.add({ act, dueAt: this.nowMs + wholeMs(ms) });
  }

  override setInterval(act: () => void, ms: number): Timer {
    return this.add({ act, dueAt: this.nowMs + wholeMs(ms), everyMs: wholeMs(ms) });
  }

  override clear(timer: Timer | undefined): void {
    this.pending.delete(timer as PendingTimer);
  }

  /** Lets `ms` pass: each timer acts at its time, and its immediate consequences happen before the next one acts. */
  async advance(ms: number): Promise<void> {
    const until = this.nowMs + ms;
    await settled();
    for (let next = this.next(); next && next.dueAt <= until; next = this.next()) {
      this.nowMs = next.dueAt;
      if (next.everyMs === undefined) this.pending.delete(next);
      else next.dueAt += next.everyMs;
      next.act();
      await settled();
    }
    this.nowMs = until;
  }

  private add(fields: Omit<PendingTimer, 'unref'>): Timer {
    const timer: PendingTimer = { ...fields, unref: () => timer };
    this.pending.add(timer);
    return timer;
  }

  /** The timer due next; of several, the one set first. */
  private next(): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of this.pending) if (!first || timer.dueAt < first.dueAt) first = timer;
    return first;
  }
}

/** Like Node: whole milliseconds, at least one. */
function wholeMs(ms: number): number {
  return Math.max(1, Math.trunc(ms));
}
