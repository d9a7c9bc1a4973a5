import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { systemTimers, type Timer, type Timers } from '@tidings/runtime/timers';
import type { WorkMetrics } from './work-metrics';
import type { WorkTimes } from './work-times';

/** A claimed row, by its id and the generation of the claim. */
export interface Claim {
  readonly id: string;
  readonly generation: number;
}

/** The leases of a queue. */
export interface Leases<Key> {
  /** Gives each claim another whole lease, unless another process has claimed the row since. */
  renew(claims: readonly Key[]): Promise<unknown>;
  /** Counts the work of `during`. */
  readonly work?: WorkMetrics;
}

/**
 * Renews the leases of claimed work while it runs. Leases can be short then: work of a dead process is soon claimed by another one, slow
 * work is renewed up to the work timeout. Work that ends within a sixth of a lease needs no renewal; without work there is no timer.
 */
export class LeaseRenewer<Key = Claim> {
  private readonly logger = new Logger(LeaseRenewer.name);
  private readonly claims = new Map<Key, number>();
  private timer: Timer | undefined;

  constructor(
    private readonly leases: Leases<Key>,
    private readonly times: WorkTimes,
    private readonly timers: Timers = systemTimers,
  ) {}

  /** Renews fresh claims until the returned function is called. */
  startRenewal(claimed: readonly Key[]): () => void {
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
  async during<Result>(claimed: readonly Key[], work: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    let isCompleted = false;
    const endRenewal = this.startRenewal(claimed);
    let timeout: Timer | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      const { timeoutMs } = this.times;
      const onTimeout = () => reject(unavailable(`Timed out after ${timeoutMs} ms`));
      timeout = this.timers.setTimeout(onTimeout, timeoutMs).unref();
    });
    try {
      const result = await Promise.race([work(), timedOut]);
      isCompleted = true;
      return result;
    } finally {
      this.leases.work?.end(isCompleted, claimed.length, since);
      this.timers.clear(timeout);
      endRenewal();
    }
  }

  private async renewOld() {
    const now = this.timers.now();
    // Younger claims need no renewal yet. The margin is half an interval: a timer that fires early must not skip a claim.
    const ageMs = this.times.renewMs / 2;
    const old = [...this.claims].flatMap(([claim, since]) => (now - since >= ageMs ? [claim] : []));
    if (old.length === 0) return;
    try {
      await this.leases.renew(old);
    } catch (error) {
      this.logger.warn(`Renewing ${old.length} leases failed: ${String(error)}`);
    }
  }
}
