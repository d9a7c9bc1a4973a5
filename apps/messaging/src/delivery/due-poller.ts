import { systemTimers, type Timer, type Timers } from '@tidings/runtime/timers';

/**
 * Looks at a table when something in it is due, and not otherwise: an idle process asks nothing. One look at a time; what
 * becomes due meanwhile makes it look again.
 */
export class DuePoller {
  private timer: Timer | undefined;
  private lookAt = Infinity;
  private looking: Promise<void> | undefined;
  private lookAgain = false;
  private stopped = false;

  /**
   * @param lookMsMax looks at least this often, for rows of a process that died without a word.
   * @param look never rejects; resolves with the ms until the next look.
   */
  constructor(
    private readonly lookMsMax: number,
    private readonly look: () => Promise<number>,
    private readonly timers: Timers = systemTimers,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Something is due in `delayMs` ms. */
  scheduleIn(delayMs: number): void {
    if (this.stopped) return;
    const at = this.timers.now() + Math.min(delayMs, this.lookMsMax);
    if (at >= this.lookAt) return;
    this.timers.clear(this.timer);
    this.lookAt = at;
    this.timer = this.timers.setTimeout(() => this.begin(), Math.max(at - this.timers.now(), 0));
  }

  /** Looks no more; resolves when the last look is over. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timers.clear(this.timer);
    await this.looking;
  }

  private begin(): void {
    this.lookAt = Infinity;
    if (this.looking) {
      this.lookAgain = true;
      return;
    }
    this.lookAgain = false;
    this.looking = this.look().then((waitMs) => {
      this.looking = undefined;
      this.scheduleIn(this.lookAgain ? 0 : waitMs);
    });
  }
}
