import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';

interface SweeperOptions {
  name: string;
  /** Log message of a failed round; the reason is appended. */
  what: string;
  /** Polls at this interval for work that another process left; a caller that adds work calls `wake`. */
  intervalMs: number;
  /** Steps of one round; the rest waits for the next round. */
  stepsMax: number;
}

/** Runs work that takes longer than a caller waits, in steps of one transaction each. Any number of instances may run. */
export abstract class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger: Logger;
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;
  private isRequested = false;
  protected stopping = false;

  protected constructor(private readonly options: SweeperOptions) {
    this.logger = new Logger(options.name);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), this.options.intervalMs).unref();
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.round;
  }

  /** Starts a round, or another one after the current round. */
  wake(): void {
    this.isRequested = true;
    this.round ??= this.work().finally(() => {
      this.round = undefined;
      if (this.isRequested && !this.stopping) this.wake();
    });
  }

  /** One round: steps until nothing is due. */
  private async sweep(): Promise<void> {
    for (let steps = 0; steps < this.options.stepsMax && !this.stopping && (await this.step());) steps += 1;
  }

  /** Runs one step; resolves with whether something was due. */
  protected abstract step(): Promise<boolean>;

  private async work(): Promise<void> {
    while (this.isRequested && !this.stopping) {
      this.isRequested = false;
      try {
        await this.sweep();
      } catch (error) {
        this.logger.warn(`${this.options.what}: ${reasonOf(error)}`);
      }
    }
  }
}
