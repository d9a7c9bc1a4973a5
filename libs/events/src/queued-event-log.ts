import { unavailable } from '@tidings/contracts/core/errors';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { AppendQueue } from './append-queue';
import { Consumption, type GroupSource } from './consumption';
import {
  DEAD_LETTERS_LISTED,
  DEAD_LETTERS_REQUEUED,
  type DeadLetter,
  deadLetterId,
  type DeadLetters,
  type StoredDeadLetter,
} from './dead-letters';
import {
  APPEND_DEADLINE_MS,
  type AppendOptions,
  BATCH_RECORDS,
  type BatchHandler,
  type BroadcastHandler,
  type BroadcastSubscription,
  type ConsumeOptions,
  type EventLog,
  type NewEvent,
} from './event-log';
import { logClosed } from './log-closed';
import { type EncodedEvent, encodeEvent } from './new-event';
import { deadTopicOf, type Topic } from './topic';

/** What every log has in common. `Found` is how the log names a topic that exists, `Entry` what it appends. */
export abstract class QueuedEventLog<Found, Entry> implements EventLog, DeadLetters {
  protected readonly closing = new AbortController();
  /** The topics this instance has used. */
  private readonly topics = new Map<string, Promise<Found>>();
  /** Those that were started, stopped or not: an instance starts only a few. */
  private readonly subscriptions: { stop(): Promise<void> }[] = [];
  private closed?: Promise<void>;

  protected abstract readonly queue: AppendQueue<Entry>;

  /** Creates the topic when it is missing. @throws ServiceError `unavailable` */
  protected abstract lookUp(topic: Topic): Promise<Found>;
  protected abstract entriesOf(topic: Topic, found: Found, encoded: readonly EncodedEvent[]): Entry[];
  /** @throws ServiceError `unavailable` */
  protected abstract join(topic: Topic, group: string, maxBatch: number): Promise<GroupSource>;
  /** @throws ServiceError `unavailable` */
  protected abstract startBroadcast(topic: Topic, handler: BroadcastHandler<never>): Promise<BroadcastSubscription>;
  /** A dead letter as an event of its dead topic. */
  protected abstract encodeDead(id: string, deadLetter: DeadLetter): EncodedEvent;
  /** Those on a dead topic, oldest first, in pages of at most `DEAD_LETTERS_PAGE`; a page is read when the one before is processed. */
  protected abstract deadPages(deadTopic: Topic): AsyncIterable<StoredDeadLetter[]>;
  /** Resolves when they are removed. */
  protected abstract removeDead(deadTopic: Topic, references: readonly string[]): Promise<void>;
  /** Whether the log accepts appends now. */
  protected abstract isReachable(): Promise<boolean>;
  /** Closes the connections, when nothing uses them any more. */
  protected abstract release(): Promise<void>;

  async append<Payload extends object>(
    event: EventDefinition<Payload>,
    events: readonly NewEvent<Payload>[],
    { deadlineMs = APPEND_DEADLINE_MS }: AppendOptions = {},
  ) {
    if (events.length === 0) return;
    await this.appendEncoded(
      event,
      events.map((one) => encodeEvent(event, one)),
      deadlineMs,
    );
  }

  async consume<Payload extends object>(
    event: EventDefinition<Payload>,
    { group, maxBatch = BATCH_RECORDS, onDead }: ConsumeOptions<Payload>,
    handler: BatchHandler<Payload>,
  ) {
    return this.begin(
      async () =>
        new Consumption(await this.join(event, group, maxBatch), {
          handler,
          onDead,
          putDeadLetter: ({ record, text }, reason, attempts) =>
            this.putDeadLetter(event, { ...record, group, reason, attempts, payload: text }),
        }),
    );
  }

  async broadcast<Payload extends object>(event: EventDefinition<Payload>, handler: BroadcastHandler<Payload>) {
    return this.begin(() => this.startBroadcast(event, handler));
  }

  async ready() {
    return !this.closing.signal.aborted && !this.queue.full && (await this.isReachable());
  }

  async deadLetters(topic: Topic) {
    const listed: DeadLetter[] = [];
    for await (const page of this.deadPages(deadTopicOf(topic))) {
      for (const { deadLetter } of page) listed.push(deadLetter);
      if (listed.length >= DEAD_LETTERS_LISTED) break;
    }
    return listed.slice(0, DEAD_LETTERS_LISTED);
  }

  async requeueDead(topic: Topic, ids?: readonly string[]) {
    const deadTopic = deadTopicOf(topic);
    let requeued = 0;
    for await (const page of this.deadPages(deadTopic)) {
      const chosen = page.filter(({ deadLetter }) => ids?.includes(deadLetter.id) ?? true).slice(0, DEAD_LETTERS_REQUEUED - requeued);
      if (chosen.length === 0) continue;
      // A record with two dead letters is appended once.
      const originals = new Map(
        chosen.map(({ deadLetter: { id, key, payload, position, sequence } }) => [position, { id, key, payload, sequence }]),
      );
      await this.appendEncoded(topic, [...originals.values()]);
      await this.removeDead(
        deadTopic,
        chosen.map(({ reference }) => reference),
      );
      requeued += chosen.length;
      if (requeued >= DEAD_LETTERS_REQUEUED) break;
    }
    return requeued;
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

  protected async appendEncoded(topic: Topic, encoded: readonly EncodedEvent[], deadlineMs = APPEND_DEADLINE_MS) {
    const found = await withTimeout(deadlineMs, this.find(topic));
    if (!found) throw unavailable('The event log did not return the topic in time');
    const bytes = encoded.reduce((sum, { id, key, payload }) => sum + id.length + key.length + (payload?.length ?? 0), 0);
    await this.queue.add(this.entriesOf(topic, found.value, encoded), bytes, deadlineMs);
  }

  /** Resolves when it is durable on the topic's dead topic. */
  private putDeadLetter(topic: Topic, deadLetter: DeadLetter) {
    return this.appendEncoded(deadTopicOf(topic), [this.encodeDead(deadLetterId(topic, deadLetter), deadLetter)]);
  }
}
