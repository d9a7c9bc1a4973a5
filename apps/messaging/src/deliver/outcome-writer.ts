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
import { StepWriter } from './step-writer';
import type { RenderingBase } from '../record/short-email';
import type { MessageStep } from '../record/step-store';
import { stepWith, type UnstoredStep } from './unstored-message';
import { OpenMessagesNotifier } from '../record/notifiers';

/** An outcome is written at most this long after it is known, or as soon as this many wait: a crash repeats few calls. */
const LINGER_MS = 20;
const BATCH_MAX = 64;
/** Interval of the warning while the database is unavailable. */
const WARN_INTERVAL_MS = 10_000;

/** What is written: a message that is not stored yet, the outcome of an attempt, or both. */
interface Entry {
  readonly step: MessageStep | undefined;
  readonly bases: readonly RenderingBase[];
  readonly conclusion: Conclusion | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes the outcomes of attempts in batches. While the database is unavailable outcomes stay in memory; they are written when it
 * is back, before further deliveries are leased. Not a `BatchQueue`: a batch waits for more outcomes, and none is ever refused.
 */
@Injectable()
export class OutcomeWriter {
  private readonly logger = new Logger(OutcomeWriter.name);
  private waiting: Entry[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private warnedAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly history: HistoryPublisher,
    private readonly clock: Clock,
    private readonly openMessages: OpenMessagesNotifier,
    private readonly tokens: TokenReporter,
    private readonly steps: StepWriter,
    private readonly times: WorkTimes,
  ) {}

  /**
   * Resolves when the outcome is durable. Rejects only where the database refuses an unstored message.
   * @param unstored the message, where it is not stored: it is stored with the outcome.
   */
  write(conclusion: Conclusion, unstored?: UnstoredStep): Promise<void> {
    return this.add(conclusion, unstored);
  }

  /** Stores a message whose call is open. Rejects where the database refuses it. */
  store(unstored: UnstoredStep): Promise<void> {
    return this.add(undefined, unstored);
  }

  private add(conclusion: Conclusion | undefined, unstored: UnstoredStep | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const { bases = [] } = unstored ?? {};
      this.waiting.push({ conclusion, step: unstored && stepWith(unstored, conclusion), bases, resolve, reject });
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
        for (const { resolve } of batch) resolve();
      }
    } finally {
      // In the same tick as the last check of `waiting`: a later `write` either was seen by it or starts a new writer.
      this.writing = undefined;
    }
  }

  /** Whether the batch is written or cannot be; false, after a pause, when it must be retried. */
  private async isSettled(batch: readonly Entry[]) {
    try {
      await this.writeBatch(batch);
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
      const [{ conclusion, step, reject }] = batch as [Entry];
      if (step || !conclusion) {
        reject(error);
        return true;
      }
      const { kind, outcome } = conclusion;
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

  private async writeBatch(entries: readonly Entry[]) {
    // Before the outcomes: token reports are valid even if an outcome cannot be written, and must not be lost with it.
    await this.tokens.store(entries.flatMap(({ conclusion }) => (conclusion?.kind === 'final' ? conclusion.tokens : [])));
    const steps = entries.flatMap(({ step }) => step ?? []);
    const bases = entries.flatMap((entry) => entry.bases);
    if (steps.length > 0) await this.steps.store(steps, bases);
    const conclusions = entries.flatMap((entry) => (isStoredWithMessage(entry) ? [] : (entry.conclusion ?? [])));
    if (conclusions.length > 0) await this.writeConclusions(conclusions);
  }

  private async writeConclusions(conclusions: readonly Conclusion[]) {
    const finals = conclusions.flatMap(({ kind, outcome }) => (kind === 'final' ? [outcome] : []));
    const retries = conclusions.flatMap(({ kind, outcome }) => (kind === 'retry' ? [outcome] : []));
    const postponed = conclusions.flatMap(({ kind, outcome }) => (kind === 'postponed' ? [outcome] : []));
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

function isStoredWithMessage({ step, conclusion }: Entry) {
  return step !== undefined && conclusion?.kind === 'final';
}
