import { systemTimers, type Timers } from '@tidings/runtime/timers';

/** Of what failed a look may take a fourth next time. */
const SHRINK = 4;
const GROW = 2;
/** A look that took this long was too large: the leases it takes count from its beginning. */
const SLOW_MS = 1_000;

/**
 * How many rows one look asks for. Rows carry whole requests, so a few large ones may be more than the database can answer in its
 * time: after a look that failed or took long it is a fourth, down to one row, and twice as many again after each that went well.
 */
export class BatchSize {
  private size: number;

  constructor(
    private readonly max: number,
    private readonly timers: Timers = systemTimers,
  ) {
    this.size = max;
  }

  get current(): number {
    return this.size;
  }

  /** Looks for `current` rows, or fewer; rejects as `look` does. */
  async during<Found>(look: () => Promise<Found>): Promise<Found> {
    const since = this.timers.now();
    let wentWell = false;
    try {
      const found = await look();
      wentWell = this.timers.now() - since < SLOW_MS;
      return found;
    } finally {
      this.size = wentWell ? Math.min(this.max, this.size * GROW) : Math.max(1, Math.floor(this.size / SHRINK));
    }
  }
}
