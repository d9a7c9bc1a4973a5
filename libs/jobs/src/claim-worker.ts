import { systemTimers } from '@tidings/runtime/timers';
import type { DueQueue } from './claim-queue';
import { DuePoller } from './due-poller';
import type { OwnedRow } from './round-robin';
import type { WorkTimes } from './work-times';

/** Claims the due rows of a queue and works on up to `max` of them at once; more of them, and those it leaves, wake other processes. */
export class ClaimWorker<Row extends OwnedRow> {
  private readonly poller = new DuePoller(this.times, this.what, () => this.claimDue(), systemTimers, this.queue);
  private readonly running = new Set<Promise<void>>();

  /**
   * @param work on one row; must not reject.
   * @param what the work, for the warning about a failed poll.
   */
  constructor(
    private readonly queue: DueQueue<Row>,
    private readonly max: number,
    private readonly work: (row: Row) => Promise<void>,
    private readonly times: WorkTimes,
    private readonly what: string,
  ) {}

  scheduleIn(delayMs: number): void {
    if (this.running.size >= this.max) this.queue.wakeOthers();
    this.poller.scheduleIn(delayMs);
  }

  /** Claims no more rows; resolves when the work in progress has ended. */
  async stop(): Promise<void> {
    await this.poller.stop();
    await Promise.all(this.running);
    await this.queue.leave();
  }

  /** `stop` waits for `work`. */
  track(work: Promise<void>): void {
    const done = work.finally(() => {
      this.running.delete(done);
    });
    this.running.add(done);
  }

  private async claimDue() {
    for (;;) {
      if (this.running.size >= this.max) await Promise.race(this.running);
      if (this.poller.isStopped) return undefined;
      const limit = this.max - this.running.size;
      const rows = await this.queue.claim(limit);
      for (const row of rows) this.track(this.work(row));
      if (rows.length < limit) return this.queue.nextDueMs();
    }
  }
}
