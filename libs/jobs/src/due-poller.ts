import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { systemTimers, type Timer, type Timers } from '@tidings/runtime/timers';
import type { WorkTimes } from './work-times';

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
  private ignoreWakes: (() => void) | undefined;

  /**
   * @param what the work, for the warning about a failed poll.
   * @param poll resolves with the ms until the next poll; undefined: `pollMs`.
   * @param queue whose other processes wake this poller, from its first schedule on.
   */
  constructor(
    private readonly times: Pick<WorkTimes, 'pollMs' | 'retryMs'>,
    private readonly what: string,
    private readonly poll: () => Promise<number | undefined>,
    private readonly timers: Timers = systemTimers,
    private readonly queue?: { onWake(poll: () => void): () => void },
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Polls in `delayMs` ms, or earlier if an earlier poll is scheduled. */
  scheduleIn(delayMs: number): void {
    if (this.stopped) return;
    this.ignoreWakes ??= this.queue?.onWake(() => this.scheduleIn(0));
    const at = this.timers.now() + Math.min(delayMs, this.times.pollMs);
    if (at >= this.pollAt) return;
    this.timers.clear(this.timer);
    this.pollAt = at;
    this.timer = this.timers.setTimeout(() => this.start(), Math.max(at - this.timers.now(), 0));
  }

  /** Starts no further poll; resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.ignoreWakes?.();
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
