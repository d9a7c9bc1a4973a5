import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { WorkTimes } from '@tidings/jobs/work-times';
import { Database } from '@tidings/persistence/database';
import { orIfMissingTable, reasonOf } from '@tidings/persistence/errors';
import { callbackOf } from '@tidings/providers/callbacks';
import { Clock } from '@tidings/runtime/clock';
import { advanceMessages } from '../record/advance-store';
import { finishDeliveries, postponeDeliveries, scheduleRetries } from '../record/delivery-store';
import { type ProviderReference, storeReferences } from '../record/provider-references';
import { type StoredTicket, storeTickets } from '../record/provider-tickets';
import { HistoryPublisher } from '../publish/history-publisher';
import { TokenReporter } from './token-reporter';
import type { Conclusion } from './conclude';
import { StepWriter } from './step-writer';
import type { RenderingBase } from '../record/short-email';
import type { MessageStep } from '../record/step-store';
import { stepWith, type UnstoredStep } from './unstored-message';
import { OpenMessagesNotifier } from '../record/notifiers';
import { MessageCounts } from '../statistics/message-counts';
import { Suppressions } from '../suppressions/suppressions';

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
  /** Its bounce was reported, by an attempt at writing that failed later: it counts once. */
  isReported?: boolean;
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
    private readonly suppressions: Suppressions,
    private readonly counts: MessageCounts,
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
    await this.reportBounces(entries);
    // Before them, too: a report that comes at once finds its message.
    const references = entries.flatMap(({ conclusion }) => (conclusion ? referencesOf(conclusion) : []));
    if (references.length > 0) await orIfMissingTable(storeReferences(this.database, references), undefined);
    const tickets = entries.flatMap(({ conclusion }) => (conclusion ? ticketsOf(conclusion) : []));
    if (tickets.length > 0) await orIfMissingTable(storeTickets(this.database, tickets), undefined);
    const steps = entries.flatMap(({ step }) => step ?? []);
    const bases = entries.flatMap((entry) => entry.bases);
    if (steps.length > 0) await this.steps.store(steps, bases);
    const conclusions = entries.flatMap((entry) => (isStoredWithMessage(entry) ? [] : (entry.conclusion ?? [])));
    if (conclusions.length > 0) await this.writeConclusions(conclusions);
  }

  /**
   * Suppresses the addresses of hard bounces. Rejects while the database is unavailable; what it refuses must not keep outcomes from it.
   */
  private async reportBounces(entries: readonly Entry[]) {
    const unreported = entries.filter(({ isReported }) => !isReported);
    const bounces = unreported.flatMap(({ conclusion }) => (conclusion?.kind === 'final' ? (conclusion.bounce ?? []) : []));
    if (bounces.length === 0) return;
    try {
      await this.database.transaction((tx) => this.suppressions.suppress(tx, bounces));
      for (const entry of unreported) entry.isReported = true;
    } catch (error) {
      if (isTransientServiceError(error)) throw error;
      this.logger.error(`Suppressing ${bounces.length} addresses that bounced failed: ${reasonOf(error)}`);
    }
  }

  private async writeConclusions(conclusions: readonly Conclusion[]) {
    const finals = conclusions.flatMap(({ kind, outcome }) => (kind === 'final' ? [outcome] : []));
    const retries = conclusions.flatMap(({ kind, outcome }) => (kind === 'retry' ? [outcome] : []));
    const postponed = conclusions.flatMap(({ kind, outcome }) => (kind === 'postponed' ? [outcome] : []));
    const continued = finals.filter(({ more }) => more);
    const [advanced, finished] = await Promise.all([
      continued.length > 0 ? advanceMessages(this.database, continued, this.clock.now()) : undefined,
      finishDeliveries(
        this.database,
        finals.filter(({ more }) => !more),
      ),
      scheduleRetries(this.database, retries),
      postponeDeliveries(this.database, postponed),
    ]);
    this.history.committed(conclusions.map(({ outcome }) => outcome.workspace_id));
    for (const change of [...finished, ...(advanced?.changes ?? [])]) this.counts.countChange(change);
    if (advanced?.isRouteDue) this.openMessages.notifyDueIn(0);
  }
}

/** The vendor's id of an accepted message, where reports may name nothing else. */
function referencesOf({ kind, outcome }: Conclusion): ProviderReference[] {
  if (kind !== 'final') return [];
  const { workspace_id: workspaceId, id: uuid, record } = outcome;
  const { provider, configuration_id: configurationId, reference } = record;
  if (configurationId === undefined || !reference?.id || !callbackOf(provider)?.byReference) return [];
  return [{ workspaceId, configurationId, reference: reference.id, uuid }];
}

/** The tickets of an accepted push message. */
function ticketsOf(conclusion: Conclusion): StoredTicket[] {
  if (conclusion.kind !== 'final' || !conclusion.tickets) return [];
  const { outcome, tickets } = conclusion;
  const { workspace_id: workspaceId, id: uuid, record } = outcome;
  const { configuration_id: configurationId } = record;
  if (configurationId === undefined) return [];
  return tickets.map(({ id: ticket, token }) => ({ workspaceId, configurationId, ticket, uuid, token, others: tickets.length - 1 }));
}

function isStoredWithMessage({ step, conclusion }: Entry) {
  return step !== undefined && conclusion?.kind === 'final';
}
