import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Timers } from '@tidings/runtime/timers';
import { DuePoller } from './due-poller';
import { workMetrics } from './work-metrics';

interface SweeperOptions {
  /** The name of the work in metrics, as `audience.rebuilds`. */
  queue: string;
  /** The work, for the warning about a failed round. */
  what: string;
  /** Polls at this interval for work that another process left; a caller that adds work calls `wake`. */
  intervalMs: number;
  /** Pause before the first round. Default: none. */
  firstMs?: number;
  /** Pause after a failed round. Default: `intervalMs`. */
  retryMs?: number;
  /** Steps of one round; the rest waits for the next round. Default: all. */
  stepsMax?: number;
}

/** Runs work that takes longer than a caller waits, in steps of one transaction each. Any number of instances may run. */
export abstract class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly poller: DuePoller;
  private readonly work = workMetrics(this.settings.queue);

  protected constructor(
    private readonly settings: SweeperOptions,
    timers?: Timers,
  ) {
    const { what, intervalMs, retryMs = intervalMs } = settings;
    this.poller = new DuePoller({ pollMs: intervalMs, retryMs }, what, () => this.sweep(), timers);
  }

  onApplicationBootstrap(): void {
    this.wake(this.settings.firstMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.poller.stop();
  }

  /** Starts a round in `delayMs` ms, or another one after the current round. */
  wake(delayMs = 0): void {
    this.poller.scheduleIn(delayMs);
  }

  protected get stopping(): boolean {
    return this.poller.isStopped;
  }

  /** Runs one step; resolves with whether something was due. `failed`: it was, and it was postponed because its work failed. */
  protected abstract step(): Promise<boolean | 'failed'>;

  /** One round: steps until nothing is due, or `stepsMax` are done. */
  async sweep(): Promise<undefined> {
    const { stepsMax = Infinity } = this.settings;
    for (let steps = 0; steps < stepsMax && !this.stopping && (await this.countedStep());) steps += 1;
  }

  private async countedStep() {
    const since = performance.now();
    let found: boolean | 'failed' = 'failed';
    try {
      found = await this.step();
    } finally {
      if (found) this.work.end(found !== 'failed', 1, since);
    }
    return found;
  }
}
