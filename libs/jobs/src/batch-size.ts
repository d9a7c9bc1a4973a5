import { systemTimers, type Timers } from '@tidings/runtime/timers';

/** Divisor of the size after a failed or slow poll. */
const SHRINK = 4;
const GROW = 2;
/** A poll of this duration was too large: its leases count from its start. */
const SLOW_MS = 1_000;

/**
 * Rows per poll. Rows carry whole requests, so a few large ones may exceed the database's statement timeout: after a failed or slow poll
 * the size shrinks to a fourth, down to one row; after each fast one it doubles, up to `max`.
 */
export class BatchSize {
  private size = this.max;

  constructor(
    private readonly max: number,
    private readonly timers: Timers = systemTimers,
  ) {}

  get current(): number {
    return this.size;
  }

  /** Runs a poll for at most `current` rows and adapts the size to its duration; rejects as `poll` does. */
  async during<Found>(poll: () => Promise<Found>): Promise<Found> {
    const since = this.timers.now();
    let isFast = false;
    try {
      const found = await poll();
      isFast = this.timers.now() - since < SLOW_MS;
      return found;
    } finally {
      this.size = isFast ? Math.min(this.max, this.size * GROW) : Math.max(1, Math.floor(this.size / SHRINK));
    }
  }
}
