import { Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { isMissingTable, reasonOf } from '@tidings/persistence/errors';
import { type Timer, Timers } from '@tidings/runtime/timers';

/** Counts are written this long after the first. */
const FLUSH_MS = 5_000;
/** Counts of different minutes, workspaces and counters that wait while the database is unavailable; more are dropped. */
const WAITING_MAX = 100_000;

/** A count of one minute. */
export interface MinuteCount {
  readonly workspaceId: string;
  /** What is counted in the workspace, where that are several. */
  readonly subject: string;
  /** Since the epoch. */
  readonly minute: number;
  readonly counter: number;
  count: number;
}

/** Counts per minute. A process adds its counts every few seconds, so those of a process that crashes may be missing. */
export abstract class MinuteCounts {
  private readonly logger = new Logger(this.constructor.name);
  private waiting = new Map<string, MinuteCount>();
  private timer: Timer | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(private readonly timers: Timers) {}

  /** Adds the counts to those of the other processes. */
  protected abstract store(counted: readonly MinuteCount[]): Promise<unknown>;

  /** Writes what was counted. Never rejects: what cannot be written now is written later. The last call of a process comes before it. */
  flush(): Promise<void> {
    this.timers.clear(this.timer);
    this.timer = undefined;
    const counted = [...this.waiting.values()];
    this.waiting = new Map();
    if (counted.length > 0) this.flushing = this.flushing.then(() => this.write(counted));
    return this.flushing;
  }

  protected add(workspaceId: string, subject: string, atMs: number, counter: number, count = 1): void {
    this.timer ??= this.timers.setTimeout(() => void this.flush(), FLUSH_MS).unref();
    const minute = Math.floor(atMs / MINUTE_MS);
    const name = `${workspaceId} ${minute} ${counter} ${subject}`;
    const found = this.waiting.get(name);
    if (found) found.count += count;
    else if (this.waiting.size < WAITING_MAX) this.waiting.set(name, { workspaceId, subject, minute, counter, count });
  }

  private async write(counted: readonly MinuteCount[]) {
    try {
      await this.store(counted);
    } catch (error) {
      // While the schema is of the version before there is nowhere to count.
      if (isMissingTable(error)) return;
      if (!isTransientServiceError(error)) return this.logger.warn(`Storing counts failed: ${reasonOf(error)}`);
      for (const { workspaceId, subject, minute, counter, count } of counted)
        this.add(workspaceId, subject, minute * MINUTE_MS, counter, count);
    }
  }
}
