import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { systemTimers, type Timer, type Timers } from '@tidings/runtime/timers';
import type { WorkTimes } from './work-times';

/** What somebody took up, and for the how manyth time it was taken up. */
export interface Claim {
  readonly id: string;
  readonly generation: number;
}

/**
 * Keeps the leases of what this process works on, so that they can be short: what a dead process had is soon taken up by another,
 * and what takes long is not taken away, unless it hangs: that is given up, here too. Renews nothing while everything is over within a
 * sixth of a lease, and asks nothing while there is nothing.
 */
export class LeaseRenewer {
  private readonly logger = new Logger(LeaseRenewer.name);
  private readonly held = new Map<Claim, number>();
  private timer: Timer | undefined;

  /** @param renew gives each another whole lease, unless somebody else took it up meanwhile. */
  constructor(
    private readonly renew: (held: readonly Claim[]) => Promise<void>,
    private readonly times: WorkTimes,
    private readonly timers: Timers = systemTimers,
  ) {}

  /**
   * Keeps the leases, just taken, until `work` has ended, and resolves or rejects as it does. Work that hangs is given up: rejects with
   * what passes, and once somebody has taken it up again, whatever it still does is under a turn that is over.
   */
  async during<Result>(taken: readonly Claim[], work: () => Promise<Result>): Promise<Result> {
    const since = this.timers.now();
    for (const one of taken) this.held.set(one, since);
    this.timer ??= this.timers.setInterval(() => void this.renewOld(), this.times.renewMs).unref();
    let hanging: Timer | undefined;
    const givenUp = new Promise<never>((_, reject) => {
      const { timeoutMs } = this.times;
      const giveUp = (): void => reject(unavailable(`Given up after ${timeoutMs} ms, in which it did not end`));
      hanging = this.timers.setTimeout(giveUp, timeoutMs).unref();
    });
    try {
      return await Promise.race([work(), givenUp]);
    } finally {
      this.timers.clear(hanging);
      for (const one of taken) this.held.delete(one);
      if (this.held.size === 0) {
        this.timers.clear(this.timer);
        this.timer = undefined;
      }
    }
  }

  private async renewOld(): Promise<void> {
    const now = this.timers.now();
    // What is younger needs none yet: well less than between two renewals, or a timer that fires a moment early would leave it out.
    const ageMs = this.times.renewMs / 2;
    const old = [...this.held].flatMap(([one, since]) => (now - since >= ageMs ? [one] : []));
    if (old.length === 0) return;
    try {
      await this.renew(old);
    } catch (error) {
      this.logger.warn(`${old.length} leases could not be renewed: ${String(error)}`);
    }
  }
}
