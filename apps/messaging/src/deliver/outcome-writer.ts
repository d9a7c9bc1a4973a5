import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { WorkTimes } from '@tidings/jobs/work-times';
import { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { Clock } from '@tidings/runtime/clock';
import { advanceMessages } from '../record/advance-store';
import { finishDeliveries, postponeDeliveries, scheduleRetries } from '../record/delivery-store';
import { HistoryPublisher } from '../publish/history-publisher';
import { TokenReporter } from './token-reporter';
import type { Conclusion } from './conclude';
import { OpenMessagesNotifier } from '../record/notifiers';

/** An outcome is written at most this long after it is known, or as soon as this many wait: a crash repeats few calls. */
const LINGER_MS = 20;
const BATCH_MAX = 64;
/** Interval of the warning while the database is unavailable. */
const WARN_INTERVAL_MS = 10_000;

/**
 * Writes the outcomes of attempts in batches. While the database is unavailable outcomes stay in memory; they are written when it
 * is back, before further deliveries are leased. Not a `BatchQueue`: a batch waits for more outcomes, and none is ever refused.
 */
@Injectable()
export class OutcomeWriter {
  private readonly logger = new Logger(OutcomeWriter.name);
  private waiting: { conclusion: Conclusion; written: () => void }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private warnedAt = -Infinity;

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

  /** Resolves when every outcome passed so far is written. */
  async drain(): Promise<void> {
    while (this.waiting.length > 0 || this.writing) {
      this.flush();
      await this.writing;
    }
  }

  private flush() {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length > 0) this.writing ??= this.writeAll();
  }

  private async writeAll() {
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting.slice(0, BATCH_MAX);
        if (!(await this.isSettled(batch))) continue;
        this.waiting = this.waiting.slice(batch.length);
        for (const { written } of batch) written();
      }
    } finally {
      // In the same tick as the last check of `waiting`: a later `write` either was seen by it or starts a new writer.
      this.writing = undefined;
    }
  }

  /** Whether the batch is written or cannot be; false, after a pause, when it must be retried. */
  private async isSettled(batch: readonly { conclusion: Conclusion }[]) {
    try {
      await this.writeBatch(batch.map(({ conclusion }) => conclusion));
      return true;
    } catch (error) {
      if (isTransientServiceError(error)) {
        this.warnWaiting(error);
        await new Promise((resume) => setTimeout(resume, this.times.retryMs));
        return false;
      }
      // An outcome that the database refuses must not block the others of the batch.
      if (batch.length > 1) {
        for (const one of batch) if (!(await this.isSettled([one]))) return false;
        return true;
      }
      const { kind, outcome } = batch[0]!.conclusion;
      const { workspace_id, id, leaf, attempt } = outcome; // the log must not contain content or recipients
      const key = { kind, workspace_id, id, leaf, attempt };
      this.logger.error({ err: error, attempt: key }, 'Storing an outcome failed; retrying the attempt when its lease ends');
      return true;
    }
  }

  private warnWaiting(error: unknown) {
    const now = performance.now();
    if (now - this.warnedAt < WARN_INTERVAL_MS) return;
    this.warnedAt = now;
    this.logger.warn(`Outcomes of ${this.waiting.length} attempts not written yet; retrying: ${reasonOf(error)}`);
  }

  private async writeBatch(conclusions: readonly Conclusion[]) {
    const ended = conclusions.filter((one) => one.kind === 'final');
    const finals = ended.map(({ outcome }) => outcome);
    const retries = conclusions.flatMap(({ kind, outcome }) => (kind === 'retry' ? [outcome] : []));
    const postponed = conclusions.flatMap(({ kind, outcome }) => (kind === 'postponed' ? [outcome] : []));
    // Before the outcomes: token reports are valid even if an outcome cannot be written, and must not be lost with it.
    await this.tokens.store(ended.flatMap(({ tokens }) => tokens));
    const continued = finals.filter(({ more }) => more);
    const [isRouteDue] = await Promise.all([
      continued.length > 0 && advanceMessages(this.database, continued, this.clock.now()),
      finishDeliveries(
        this.database,
        finals.filter(({ more }) => !more),
      ),
      scheduleRetries(this.database, retries),
      postponeDeliveries(this.database, postponed),
    ]);
    this.history.committed();
    if (isRouteDue) this.openMessages.notifyDueIn(0);
  }
}
