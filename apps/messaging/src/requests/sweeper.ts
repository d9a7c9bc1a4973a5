import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';

interface SweeperOptions {
  name: string;
  /** What a failure means, for the log. */
  what: string;
  /** It polls so often, for what a process that ended has left; whoever adds work wakes it. */
  intervalMs: number;
  /** Steps of one round; what is left waits for the next. */
  stepsMax: number;
}

/** Does in steps, each a transaction of its own, what takes longer than a caller waits. Any number of instances. */
export abstract class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger: Logger;
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;
  private wanted = false;
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

  /** There may be something to do. */
  wake(): void {
    this.wanted = true;
    this.round ??= this.work().finally(() => {
      this.round = undefined;
      if (this.wanted && !this.stopping) this.wake();
    });
  }

  /** A round: until nothing is due. */
  private async sweep(): Promise<void> {
    for (let steps = 0; steps < this.options.stepsMax && !this.stopping && (await this.step());) steps += 1;
  }

  /** Whether something was due. */
  protected abstract step(): Promise<boolean>;

  private async work(): Promise<void> {
    while (this.wanted && !this.stopping) {
      this.wanted = false;
      try {
        await this.sweep();
      } catch (error) {
        this.logger.warn(`${this.options.what}: ${reasonOf(error)}`);
      }
    }
  }
}
