import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { Clock } from '@tidings/runtime/clock';
import { advanceMessages } from '../store/advance-store';
import { finishDeliveries, postponeDeliveries, scheduleRetries } from '../store/outcome-store';
import { WorkTimes } from '../store/work-times';
import { HistoryPublisher } from '../publishing/history-publisher';
import { TokenReporter } from '../tokens/token-reporter';
import type { Conclusion } from './conclude';
import { OpenMessagesNotifier } from '../routing/open-messages-notifier';

/** An outcome is written at the latest this long after it is known, or as soon as so many wait: a crash repeats few calls. */
const LINGER_MS = 20;
const BATCH_MAX = 64;
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
    private readonly clock: Clock,
    private readonly openMessages: OpenMessagesNotifier,
    private readonly tokens: TokenReporter,
    private readonly times: WorkTimes,
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
    if (this.waiting.length > 0) this.writing ??= this.writeAll();
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting.slice(0, BATCH_MAX);
        if (!(await this.isOver(batch))) continue;
        this.waiting = this.waiting.slice(batch.length);
        for (const { written } of batch) written();
      }
    } finally {
      // In the turn of the last look: whoever writes next meets either that look or a writer that is free.
      this.writing = undefined;
    }
  }

  /** Whether the batch is written, or never will be; false after a pause where it is to be tried again. */
  private async isOver(batch: readonly { conclusion: Conclusion }[]): Promise<boolean> {
    try {
      await this.writeBatch(batch.map(({ conclusion }) => conclusion));
      return true;
    } catch (error) {
      if (isTransientServiceError(error)) {
        this.sayWaiting(error);
        await new Promise((resume) => setTimeout(resume, this.times.retryMs));
        return false;
      }
      // The others of the batch must not wait for one that the database refuses.
      if (batch.length > 1) return this.writeApart(batch);
      this.logger.error({ err: error, attempt: nameOf(batch[0]!.conclusion) }, 'An outcome cannot be stored; its lease runs out');
      return true;
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
        if (isTransientServiceError(error)) return false;
        this.logger.error({ err: error, attempt: nameOf(conclusion) }, 'An outcome cannot be stored; its lease runs out');
      }
    }
    return true;
  }

  private async writeBatch(conclusions: readonly Conclusion[]): Promise<void> {
    const finals = conclusions.flatMap(({ kind, outcome }) => (kind === 'final' ? [outcome] : []));
    const retries = conclusions.flatMap(({ kind, outcome }) => (kind === 'retry' ? [outcome] : []));
    const put = conclusions.flatMap(({ kind, outcome }) => (kind === 'postponed' ? [outcome] : []));
    // Before the outcomes: what is told of tokens is so whatever becomes of these, and must not be lost behind them.
    await this.tokens.keep(conclusions.flatMap((conclusion) => (conclusion.kind === 'final' ? (conclusion.tokens ?? []) : [])));
    const [goOn, only] = partition(finals, ({ more }) => more);
    const [someAreDue] = await Promise.all([
      goOn.length > 0 && advanceMessages(this.database, goOn, this.clock.now()),
      finishDeliveries(this.database, only),
      scheduleRetries(this.database, retries),
      postponeDeliveries(this.database, put),
    ]);
    this.history.committed();
    if (someAreDue) this.openMessages.notifyDueIn(0);
  }
}

/** For the log, which must not hold what was said of whom. */
function nameOf({ kind, outcome: { workspace_id, id, leaf, attempt } }: Conclusion): object {
  return { kind, workspace_id, id, leaf, attempt };
}

function partition<Item>(items: readonly Item[], belongs: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
