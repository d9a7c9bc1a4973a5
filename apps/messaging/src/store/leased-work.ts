import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { systemTimers, type Timer, type Timers } from '@tidings/runtime/timers';

/** Lease duration of claimed work, renewed while it runs. After it another process may claim the row. */
export const WORK_LEASE_MS = 5_000;

/** Times of claimed work. Defaults are production's; specs shorten those that they would wait for. */
export class WorkTimes {
  /** Lease of an open message, or of a request that is expanded. */
  readonly leaseMs: number = WORK_LEASE_MS;
  /** Interval of renewals, of attempts too; well below the lease. */
  readonly renewMs: number;
  /**
   * Work timeout. The longest regular work, a page whose 200 messages each wait 250 ms for a permit and are then stored one by one, takes a
   * fifth of it.
   */
  readonly timeoutMs: number = 300_000;
  /** Longest pause between two polls, for rows of a process that died. */
  readonly pollMs: number = 10_000;
  /** Pause after a failed poll or write. */
  readonly retryMs: number = 500;
  /** Pause after an unexpected error, which is logged. */
  readonly faultRetryMs: number = 30_000;
  /** Delay from the first attempt of a delivery to the second; later delays double. */
  readonly firstRetryMs: number = 1_000;

  constructor(times: Partial<WorkTimes> = {}) {
    Object.assign(this, times);
    this.renewMs = times.renewMs ?? this.leaseMs / 3;
  }
}

const logger = new Logger('DuePoller');

/**
 * Polls a table when its next row is due; an idle process sends no queries. One poll runs at a time: a row that becomes due during a
 * poll starts another one after it.
 */
export class DuePoller {
  private timer: Timer | undefined;
  private pollAt = Infinity;
  private polling: Promise<void> | undefined;
  private pollAgain = false;
  private stopped = false;

  /**
   * @param what the work, for the warning about a failed poll.
   * @param poll resolves with the ms until the next poll; undefined: `pollMs`.
   */
  constructor(
    private readonly times: Pick<WorkTimes, 'pollMs' | 'retryMs'>,
    private readonly what: string,
    private readonly poll: () => Promise<number | undefined>,
    private readonly timers: Timers = systemTimers,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Polls in `delayMs` ms, or earlier if an earlier poll is scheduled. */
  scheduleIn(delayMs: number): void {
    if (this.stopped) return;
    const at = this.timers.now() + Math.min(delayMs, this.times.pollMs);
    if (at >= this.pollAt) return;
    this.timers.clear(this.timer);
    this.pollAt = at;
    this.timer = this.timers.setTimeout(() => this.start(), Math.max(at - this.timers.now(), 0));
  }

  /** Starts no further poll; resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timers.clear(this.timer);
    await this.polling;
  }

  private start() {
    this.pollAt = Infinity;
    this.pollAgain = this.polling !== undefined;
    this.polling ??= this.poll()
      .catch((error: unknown) => {
        logger.warn(`${this.what} failed; retrying: ${reasonOf(error)}`);
        return this.times.retryMs;
      })
      .then((waitMs = Infinity) => {
        this.polling = undefined;
        this.scheduleIn(this.pollAgain ? 0 : waitMs);
      });
  }
}

/** A claimed row, by its id and the generation of the claim. */
export interface Claim {
  readonly id: string;
  readonly generation: number;
}

/**
 * Renews the leases of claimed work while it runs. Leases can be short then: work of a dead process is soon claimed by another one, slow
 * work is renewed up to the work timeout. Work that ends within a sixth of a lease needs no renewal; without work there is no timer.
 */
export class LeaseRenewer<Held = Claim> {
  private readonly logger = new Logger(LeaseRenewer.name);
  private readonly claims = new Map<Held, number>();
  private timer: Timer | undefined;

  /** @param renew gives each claim another whole lease, unless another process has claimed the row since. */
  constructor(
    private readonly renew: (claims: readonly Held[]) => Promise<unknown>,
    private readonly times: WorkTimes,
    private readonly timers: Timers = systemTimers,
  ) {}

  /** Renews fresh claims until the returned function is called. */
  hold(claimed: readonly Held[]): () => void {
    const since = this.timers.now();
    for (const claim of claimed) this.claims.set(claim, since);
    this.timer ??= this.timers.setInterval(() => void this.renewOld(), this.times.renewMs).unref();
    return () => {
      for (const claim of claimed) this.claims.delete(claim);
      if (this.claims.size > 0) return;
      this.timers.clear(this.timer);
      this.timer = undefined;
    };
  }

  /**
   * Renews fresh claims until `work` has ended; resolves or rejects as it does. At the work timeout it rejects with `unavailable` and the
   * leases end. Once the rows are claimed again, late writes of the old work carry an old generation and change nothing.
   */
  async during<Result>(claimed: readonly Held[], work: () => Promise<Result>): Promise<Result> {
    const release = this.hold(claimed);
    let timeout: Timer | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      const { timeoutMs } = this.times;
      const onTimeout = () => reject(unavailable(`Timed out after ${timeoutMs} ms`));
      timeout = this.timers.setTimeout(onTimeout, timeoutMs).unref();
    });
    try {
      return await Promise.race([work(), timedOut]);
    } finally {
      this.timers.clear(timeout);
      release();
    }
  }

  private async renewOld() {
    const now = this.timers.now();
    // Younger claims need no renewal yet. The margin is half an interval: a timer that fires early must not skip a claim.
    const ageMs = this.times.renewMs / 2;
    const old = [...this.claims].flatMap(([claim, since]) => (now - since >= ageMs ? [claim] : []));
    if (old.length === 0) return;
    try {
      await this.renew(old);
    } catch (error) {
      this.logger.warn(`Renewing ${old.length} leases failed: ${String(error)}`);
    }
  }
}

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
