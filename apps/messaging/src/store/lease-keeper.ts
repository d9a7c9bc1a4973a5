import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';

/** How long what a process took up is its own before another may take it up. Renewed while it is worked on. */
export const WORK_LEASE_MS = 5_000;
/** Leases are renewed well before they end. */
const RENEW_MS = WORK_LEASE_MS / 3;
/** What is younger needs no renewal yet: well less than between two of them, or a timer that fires a moment early would leave it out. */
const RENEW_AGE_MS = RENEW_MS / 2;
/**
 * Whatever takes longer than this hangs. The longest there is, a page each of whose 200 messages waits a quarter of a second for its
 * place and is then stored alone, takes a fifth of it.
 */
const WORK_MS_MAX = 300_000;

/** How long a process may work on what it took up; after that it is given up. */
export class WorkBound {
  constructor(readonly ms = WORK_MS_MAX) {}
}

/** What somebody took up, and for the how manyth time it was taken up. */
export interface Held {
  readonly id: string;
  readonly turn: number;
}

/**
 * Keeps the leases of what this process works on, so that they can be short: what a dead process had is soon taken up by another,
 * and what takes long is not taken away, unless it hangs: that is given up, here too. Renews nothing while everything is over within a
 * sixth of a lease, and asks nothing while there is nothing.
 */
export class LeaseKeeper {
  private readonly logger = new Logger(LeaseKeeper.name);
  private readonly held = new Map<Held, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param renew gives each another whole lease, unless somebody else took it up meanwhile. */
  constructor(
    private readonly renew: (held: readonly Held[]) => Promise<void>,
    private readonly bound: WorkBound,
  ) {}

  /**
   * Keeps the leases, just taken, until `work` has ended, and resolves or rejects as it does. Work that hangs is given up: rejects with
   * what passes, and once somebody has taken it up again, whatever it still does is under a turn that is over.
   */
  async during<Result>(taken: readonly Held[], work: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    for (const one of taken) this.held.set(one, since);
    this.timer ??= setInterval(() => void this.renewOld(), RENEW_MS).unref();
    let hanging: NodeJS.Timeout | undefined;
    const givenUp = new Promise<never>((_, reject) => {
      const error = () => unavailable(`Given up after ${this.bound.ms} ms, in which it did not end`);
      hanging = setTimeout(() => reject(error()), this.bound.ms).unref();
    });
    try {
      return await Promise.race([work(), givenUp]);
    } finally {
      clearTimeout(hanging);
      for (const one of taken) this.held.delete(one);
      if (this.held.size === 0) {
        clearInterval(this.timer);
        this.timer = undefined;
      }
    }
  }

  private async renewOld(): Promise<void> {
    const now = performance.now();
    const old = [...this.held].flatMap(([one, since]) => (now - since >= RENEW_AGE_MS ? [one] : []));
    if (old.length === 0) return;
    try {
      await this.renew(old);
    } catch (error) {
      this.logger.warn(`${old.length} leases could not be renewed: ${String(error)}`);
    }
  }
}
