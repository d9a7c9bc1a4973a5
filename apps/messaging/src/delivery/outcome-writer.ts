import { Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { finishDeliveries, type FinalOutcome, type RetryOutcome, scheduleRetries } from '../store/outcome-store';
import { HistoryPublisher } from '../publishing/history-publisher';
import type { Conclusion } from './conclude';

/** An outcome is written at the latest this long after it is known, or as soon as so many wait: a crash repeats few calls. */
const LINGER_MS = 20;
const BATCH_MAX = 64;
/** Between tries while the database is away. */
const RETRY_MS = 500;
/** While the database stays away, that outcomes wait is said this often. */
const SAY_AGAIN_MS = 10_000;

/**
 * Writes the ends of attempts in batches. Nothing is dropped while the database is away: what is known is written when
 * it is back, before anything else is leased.
 */
@Injectable()
export class OutcomeWriter {
  private readonly logger = new Logger(OutcomeWriter.name);
  private waiting: { conclusion: Conclusion; written: () => void }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private saidAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly history: HistoryPublisher,
  ) {}

  /** Resolves when the outcome is durable. Never rejects. */
  write(conclusion: Conclusion): Promise<void> {
    return new Promise((written) => {
      this.waiting.push({ conclusion, written });
      if (this.waiting.length >= BATCH_MAX) this.flush();
      else this.timer ??= setTimeout(() => this.flush(), LINGER_MS);
    });
  }

  /** Resolves when everything known so far is written. */
  async drain(): Promise<void> {
    while (this.waiting.length > 0 || this.writing) {
      this.flush();
      await this.writing;
    }
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, BATCH_MAX);
      try {
        await this.writeBatch(batch.map(({ conclusion }) => conclusion));
      } catch (error) {
        if (isPassing(error)) {
          this.sayWaiting(error);
          await new Promise((resume) => setTimeout(resume, RETRY_MS));
          continue;
        }
        // The others of the batch must not wait for one that the database refuses.
        if (batch.length === 1)
          this.logger.error({ err: error, outcome: batch[0]!.conclusion }, 'An outcome cannot be stored; its lease runs out');
        else if (!(await this.writeApart(batch))) continue;
      }
      this.waiting = this.waiting.slice(batch.length);
      for (const { written } of batch) written();
    }
  }

  private sayWaiting(error: unknown): void {
    const now = performance.now();
    if (now - this.saidAt < SAY_AGAIN_MS) return;
    this.saidAt = now;
    this.logger.warn(`Outcomes of ${this.waiting.length} attempts wait to be written: ${reasonOf(error)}`);
  }

  /** Writes the batch one by one; false when the database went away meanwhile. */
  private async writeApart(batch: readonly { conclusion: Conclusion }[]): Promise<boolean> {
    for (const { conclusion } of batch) {
      try {
        await this.writeBatch([conclusion]);
      } catch (error) {
        if (isPassing(error)) return false;
        this.logger.error({ err: error, outcome: conclusion }, 'An outcome cannot be stored; its lease runs out');
      }
    }
    return true;
  }

  private async writeBatch(conclusions: readonly Conclusion[]): Promise<void> {
    const finals: FinalOutcome[] = [];
    const retries: RetryOutcome[] = [];
    for (const conclusion of conclusions) {
      if (conclusion.kind === 'final') finals.push(conclusion.outcome);
      else retries.push(conclusion.outcome);
    }
    await Promise.all([finishDeliveries(this.database, finals), scheduleRetries(this.database, retries)]);
    if (finals.length > 0) this.history.committed();
  }
}

/** Whether the same write may succeed later. */
function isPassing(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'unavailable' || error.code === 'deadline_exceeded');
}
