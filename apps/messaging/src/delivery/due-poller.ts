import { systemTimers, type Timer, type Timers } from '@tidings/runtime/timers';

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
   * @param pollMsMax longest pause between two polls, for rows of a process that died.
   * @param poll never rejects; resolves with the ms until the next poll.
   */
  constructor(
    private readonly pollMsMax: number,
    private readonly poll: () => Promise<number>,
    private readonly timers: Timers = systemTimers,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Polls in `delayMs` ms, or earlier if an earlier poll is scheduled. */
  scheduleIn(delayMs: number): void {
    if (this.stopped) return;
    const at = this.timers.now() + Math.min(delayMs, this.pollMsMax);
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

  private start(): void {
    this.pollAt = Infinity;
    if (this.polling) {
      this.pollAgain = true;
      return;
    }
    this.pollAgain = false;
    this.polling = this.poll().then((waitMs) => {
      this.polling = undefined;
      this.scheduleIn(this.pollAgain ? 0 : waitMs);
    });
  }
}
