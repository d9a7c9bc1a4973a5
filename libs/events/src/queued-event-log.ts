import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { BatchQueue } from '@tidings/kafka/batch-queue';
import { isTracing } from '@tidings/tracing/spans';
import type { TraceContext } from '@tidings/tracing/trace-context';
import { type Appender, attemptMs, EntriesRejected, NotAppended, remainingMs } from './append-attempt';
import { Consumption, type GroupSource, type ReadRecord } from './consumption';
import { deadLetterId, type DeadLetters, type NewDeadLetter } from './dead-letters';
import {
  type AnyRecord,
  APPEND_DEADLINE_MS,
  type AppendOptions,
  BATCH_RECORDS,
  type BatchHandler,
  type BroadcastHandler,
  type BroadcastSubscription,
  type ConsumeOptions,
  type ConsumerLag,
  type ConsumerLags,
  type ErasedPerson,
  type EventLog,
  type LogErasure,
  type NewEvent,
} from './event-log';
import { logClosed } from './log-closed';
import { type EncodedEvent, encodeEvent } from './new-event';
import { inAppendSpan, tracedBatch } from './traced-appends';
import type { Topic } from './topic';

/** How a member joins its group. */
export type JoinOptions = Required<Pick<ConsumeOptions<never>, 'group' | 'maxBatch'>> & Pick<ConsumeOptions<never>, 'positions'>;

/** What every log has in common; appends wait in its `AppendQueue`. `Found` is how it names a topic that exists, `Entry` what it appends. */
export abstract class QueuedEventLog<Found, Entry> implements EventLog, ConsumerLags {
  /** Here as in a log that our own database roles alone write. */
  readonly isSigned: boolean = false;
  private lastSender: string | undefined;
  /** When the sender last changed, by `performance.now()`. */
  private mixedAt = -Infinity;
  protected readonly closing = new AbortController();
  /** The topics this instance has used. */
  private readonly topics = new Map<string, Promise<Found>>();
  /** Those that were started, stopped or not: an instance starts only a few. */
  private readonly subscriptions: { stop(): Promise<void> }[] = [];
  /** What this instance consumes. */
  private readonly consumed = new Set<{ readonly topic: string; readonly group: string; readonly source: GroupSource }>();
  private closed?: Promise<void>;

  protected abstract readonly queue: AppendQueue<Entry>;

  /** Creates the topic when it is missing. @throws ServiceError `unavailable` */
  protected abstract lookUp(topic: Topic): Promise<Found>;
  protected abstract entriesOf(topic: Topic, found: Found, encoded: readonly EncodedEvent[]): Entry[];
  /** @throws ServiceError `unavailable` */
  protected abstract join(topic: Topic, options: JoinOptions): Promise<GroupSource>;
  /** @throws ServiceError `unavailable` */
  protected abstract startBroadcast(topic: Topic, handler: BroadcastHandler<never>, onMissed: () => void): Promise<BroadcastSubscription>;
  /** Where a record is, for log lines. */
  protected abstract whereIs(topic: Topic, record: AnyRecord): string;
  /** Resolves when the dead letter is durable on the dead topic, or is one too many of unauthenticated records. */
  protected abstract storeDeadLetter(topic: Topic, id: string, deadLetter: NewDeadLetter, read: ReadRecord): Promise<void>;
  abstract readonly deadLetters: DeadLetters;
  abstract erase(person: ErasedPerson): Promise<LogErasure>;

  /** Whether the log accepts appends now. */
  protected abstract isReachable(): Promise<boolean>;
  /** Closes the connections, when nothing uses them any more. */
  protected abstract release(): Promise<void>;

  async append<Payload extends object>(
    event: EventDefinition<Payload>,
    events: readonly NewEvent<Payload>[],
    { deadlineMs = APPEND_DEADLINE_MS, sender, trace }: AppendOptions = {},
  ) {
    if (events.length === 0) return;
    if (sender !== undefined && sender !== this.lastSender) {
      if (this.lastSender !== undefined) this.mixedAt = performance.now();
      this.lastSender = sender;
    }
    const encoded = events.map((one) => encodeEvent(event, one));
    if (trace?.traceparent === undefined) return this.appendEncoded(event, encoded, deadlineMs);
    await inAppendSpan(event.topic, trace, events, (context) => {
      for (const one of encoded) one.trace = context;
      return this.appendEncoded(event, encoded, deadlineMs, context);
    });
  }

  async consume<Payload extends object>(
    event: EventDefinition<Payload>,
    { group, maxBatch = BATCH_RECORDS, onDead, positions }: ConsumeOptions<Payload>,
    handler: BatchHandler<Payload>,
  ) {
    return this.begin(async () => {
      const source = await this.join(event, { group, maxBatch, positions });
      const consumed = { topic: event.topic, group, source };
      this.consumed.add(consumed);
      const onEnd = () => void this.consumed.delete(consumed);
      const whereIs = (record: AnyRecord) => this.whereIs(event, record);
      const putDeadLetter = (read: ReadRecord, reason: string, attempts: number) =>
        this.putDeadLetter(event, read, { group, reason, attempts });
      return new Consumption(source, { handler, onDead, whereIs, putDeadLetter }, onEnd);
    });
  }

  consumerLag(): Promise<ConsumerLag[]> {
    return Promise.all([...this.consumed].map(async ({ topic, group, source }) => ({ topic, group, records: await source.lag() })));
  }

  async broadcast<Payload extends object>(event: EventDefinition<Payload>, handler: BroadcastHandler<Payload>, onMissed = () => {}) {
    return this.begin(() => this.startBroadcast(event, handler, onMissed));
  }

  async ready() {
    return !this.closing.signal.aborted && !this.queue.full && (await this.isReachable());
  }

  /** Here as in a log whose records are not signed. */
  async skipUnverified(topic: string): Promise<void> {
    throw invalid(`The records of ${topic} are in PostgreSQL, where nothing is signed and nothing waits`);
  }

  appendLoad() {
    return { isBurst: this.queue.isBurst, isMixed: performance.now() - this.mixedAt < MIXED_MS };
  }

  close() {
    return (this.closed ??= this.finish());
  }

  private async finish() {
    this.closing.abort();
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
    // Calls that wait for their topic were accepted too; a tick later they are queued.
    await Promise.allSettled(this.topics.values());
    await new Promise(setImmediate);
    await this.queue.close();
    await this.release();
  }

  /** Starts a subscription that ends with the log at the latest. @throws ServiceError `unavailable` when the log is closed. */
  private async begin<S extends { stop(): Promise<void> }>(start: () => Promise<S>) {
    const { signal } = this.closing;
    if (signal.aborted) throw logClosed();
    const subscription = await start();
    if (signal.aborted) {
      await subscription.stop();
      throw logClosed();
    }
    this.subscriptions.push(subscription);
    return subscription;
  }

  /** The topic in the log: looked up once, and created when missing. Rejects as the look-up does; the next call looks it up again. */
  protected find(topic: Topic): Promise<Found> {
    const name = topic.topic;
    let found = this.topics.get(name);
    if (!found) {
      this.topics.set(name, (found = this.lookUp(topic)));
      found.catch(() => this.topics.delete(name));
    }
    return found;
  }

  protected async appendEncoded(
    topic: Topic,
    encoded: readonly EncodedEvent[],
    deadlineMs = APPEND_DEADLINE_MS,
    trace?: TraceContext,
  ): Promise<void> {
    const found = await withTimeout(deadlineMs, this.find(topic));
    if (!found) throw unavailable('The event log did not return the topic in time');
    const bytes = encoded.reduce(
      (sum, { id, key, payload, raw }) => sum + id.length + key.length + (raw?.value ?? payload ?? '').length,
      0,
    );
    await this.queue.add(this.entriesOf(topic, found.value, encoded), bytes, deadlineMs, trace);
  }

  /** Resolves when it is durable on the topic's dead topic. */
  private async putDeadLetter(topic: Topic, read: ReadRecord, failure: Pick<NewDeadLetter, 'group' | 'reason' | 'attempts'>) {
    const { size: _size, ...original } = read.record;
    const deadLetter = { ...original, ...failure, payload: read.text };
    await this.storeDeadLetter(topic, deadLetterId(topic, deadLetter), deadLetter, read);
  }
}

/** A single call is never split. */
const BATCH = { count: 1_000, size: 4 * 1024 * 1024 };
/** Of what waits behind the batch in flight. */
const WAITING = { count: 50_000, size: 64 * 1024 * 1024 };
/**
 * A burst lasts while large batches of calls, or batches of some calls at this rate per ms or more, follow each other within this time, in ms.
 * The gateway gathers up to 32 sends that are no burst.
 */
const BURST_CALLS_LARGE = 40;
const BURST_CALLS = 12;
const BURST_RATE = 2;
const BURST_PAUSE_MS = 50;
/** Events are of several senders for so long after the last change from one to another, in ms. */
const MIXED_MS = 10_000;
/** Longest pause between two attempts. */
const RETRY_DELAY_MS_MAX = 1_000;
const LATE = 'Events could not be appended in time';
/** Interval of refusing what waits past its deadline behind a batch that is not answered, in ms. */
const SWEEP_INTERVAL_MS = 250;

interface Call<Entry> {
  entries: readonly Entry[];
  count: number;
  size: number;
  /** By `performance.now()`. */
  deadline: number;
  /** The span of the append. */
  trace?: TraceContext;
  resolve(): void;
  reject(error: Error): void;
}

/** Batches concurrent calls: see `BatchQueue`. A batch is retried, before later calls, until it is stored or its calls are overdue. */
export class AppendQueue<Entry> {
  private readonly queue = new BatchQueue<Call<Entry>>({
    batch: BATCH,
    waiting: WAITING,
    paced: this.paced,
    withdrawOverdue: () => this.refuseOverdue(),
    send: (calls) => (isTracing() ? tracedBatch(calls, () => this.sendBatch(calls)) : this.sendBatch(calls)),
  });
  private closed = false;
  private burstAt = -Infinity;
  private sentAt = -Infinity;
  private sweeps?: NodeJS.Timeout;

  /** @param paced spaces batches under load; otherwise each batch follows the one before at once. */
  constructor(
    private readonly log: Appender<Entry>,
    private readonly paced = false,
  ) {}

  /** Whether many calls are made at this time. */
  get isBurst(): boolean {
    return performance.now() - this.burstAt < BURST_PAUSE_MS;
  }

  /** Whether a call would be refused because too much waits. */
  get full(): boolean {
    return this.queue.isFull;
  }

  /**
   * Resolves when the entries are durable.
   * @throws ServiceError `unavailable` when none was stored, `deadline_exceeded` when the outcome stayed unknown for `deadlineMs`.
   */
  async add(entries: readonly Entry[], size: number, deadlineMs: number, trace?: TraceContext): Promise<void> {
    if (this.closed) throw logClosed();
    if (this.full) throw unavailable('Too many events wait to be appended');
    if (this.queue.isRunning) this.sweeps ??= setInterval(() => this.sweep(), SWEEP_INTERVAL_MS).unref();
    await new Promise<void>((resolve, reject) =>
      this.queue.add({ entries, count: entries.length, size, deadline: performance.now() + deadlineMs, trace, resolve, reject }),
    );
  }

  /** Refuses further calls, and resolves when every earlier call is answered. */
  async close(): Promise<void> {
    this.closed = true;
    await this.queue.drained();
  }

  private async sendBatch(batch: Call<Entry>[]) {
    let calls = batch;
    let again = false;
    const now = performance.now();
    const burstCalls = Math.max(BURST_CALLS, BURST_RATE * (now - this.sentAt));
    if (batch.length >= Math.min(burstCalls, BURST_CALLS_LARGE)) this.burstAt = now;
    this.sentAt = now;
    for (let attempt = 1; calls.length > 0; attempt++) {
      try {
        await this.log.append(
          calls.flatMap(({ entries }) => entries),
          { timeoutMs: attemptMs(calls), again },
        );
        for (const call of calls) call.resolve();
        return;
      } catch (error) {
        if (error instanceof EntriesRejected) {
          const { entries: refused, error: reason } = error;
          calls = rejectSome(calls, ({ entries }) => entries.some((entry) => refused.has(entry)), reason);
          again = true;
          continue;
        }
        if (error instanceof NotAppended && !again && !error.isTransient) {
          for (const call of calls) call.reject(unavailable('Events cannot be appended now', error.cause));
          return;
        }
        again ||= !(error instanceof NotAppended);
        const now = performance.now();
        const mayBeStored = new ServiceError('deadline_exceeded', 'The event log did not answer in time');
        const late = again ? Object.assign(mayBeStored, { cause: error }) : unavailable(LATE, error);
        calls = rejectSome(calls, ({ deadline }) => deadline <= now, late);
        if (calls.length > 0) await delay(Math.min(retryDelayMs(attempt, RETRY_DELAY_MS_MAX), remainingMs(calls)));
      }
    }
  }

  private sweep() {
    this.refuseOverdue();
    if (this.queue.isRunning) return;
    clearInterval(this.sweeps);
    this.sweeps = undefined;
  }

  /** Fails waiting calls past their deadline: they were never sent. */
  private refuseOverdue() {
    const now = performance.now();
    for (const call of this.queue.withdraw(({ deadline }) => deadline <= now)) call.reject(unavailable(LATE));
  }
}

/** Rejects the calls that are meant, and returns the others. */
function rejectSome<Entry>(calls: Call<Entry>[], isMeant: (call: Call<Entry>) => boolean, error: Error) {
  return calls.filter((call) => {
    if (!isMeant(call)) return true;
    call.reject(error);
    return false;
  });
}
