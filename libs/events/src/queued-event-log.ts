import { unavailable } from '@tidings/contracts/core/errors';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { AppendQueue } from './append-queue';
import { Consumption, type GroupSource } from './consumption';
import {
  DEAD_LETTERS_LISTED,
  DEAD_LETTERS_REQUEUED,
  type DeadLetter,
  deadLetterOf,
  type DeadLetters,
  type DeadLetterStorage,
} from './dead-letters';
import {
  APPEND_DEADLINE_MS,
  type AppendOptions,
  BATCH_RECORDS,
  type BatchHandler,
  type BroadcastSubscription,
  type ConsumeOptions,
  type EventLog,
  type EventRecord,
  type NewEvent,
  type Subscription,
} from './event-log';
import { type EncodedEvent, encodeEvent } from './new-event';
import { Subscriptions } from './subscriptions';
import type { Topic } from './topic';

/** The topics an instance has used; each is looked up once, and created when missing. */
class TopicCache<Found> {
  private readonly topics = new Map<string, Promise<Found>>();

  constructor(private readonly lookUp: (topic: Topic) => Promise<Found>) {}

  /** Rejects as the look-up does; the next call looks it up again. */
  of(topic: Topic): Promise<Found> {
    const name = topic.topic;
    let found = this.topics.get(name);
    if (!found) {
      this.topics.set(name, (found = this.lookUp(topic)));
      found.catch(() => this.topics.delete(name));
    }
    return found;
  }

  /** Resolves when no look-up is in flight. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.topics.values());
  }
}

/** What every log has in common. `Found` is how the log names a topic that exists, `Entry` what it appends. */
export abstract class QueuedEventLog<Found, Entry> implements EventLog, DeadLetters {
  protected readonly topics = new TopicCache((topic) => this.lookUp(topic));
  protected readonly closing = new AbortController();
  private readonly subscriptions = new Subscriptions();
  private closed?: Promise<void>;

  protected abstract readonly queue: AppendQueue<Entry>;
  protected abstract readonly dead: DeadLetterStorage<unknown>;

  /** Creates the topic when it is missing. @throws ServiceError `unavailable` */
  protected abstract lookUp(topic: Topic): Promise<Found>;
  protected abstract entriesOf(topic: Topic, found: Found, encoded: readonly EncodedEvent[]): Entry[];
  /** @throws ServiceError `unavailable` */
  protected abstract join<Payload extends object>(topic: Topic, group: string, maxBatch: number): Promise<GroupSource<Payload>>;
  /** @throws ServiceError `unavailable` */
  protected abstract startBroadcast<Payload extends object>(
    topic: Topic,
    handler: (record: EventRecord<Payload>) => void,
  ): Promise<BroadcastSubscription>;
  /** Resolves when it is durable on the topic's dead topic. */
  protected abstract putDeadLetter(topic: Topic, deadLetter: DeadLetter): Promise<void>;
  /** Whether the log accepts appends now. */
  protected abstract isReachable(): Promise<boolean>;
  /** Closes the connections, when nothing uses them any more. */
  protected abstract release(): Promise<void>;

  async append<Payload extends object>(
    event: EventDefinition<Payload>,
    events: readonly NewEvent<Payload>[],
    { deadlineMs = APPEND_DEADLINE_MS }: AppendOptions = {},
  ): Promise<void> {
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
  ): Promise<Subscription> {
    return this.subscriptions.begin(
      async () =>
        new Consumption(await this.join<Payload>(event, group, maxBatch), {
          handler,
          onDead,
          putDeadLetter: (read, reason, attempts) => this.putDeadLetter(event, deadLetterOf(group, read, reason, attempts)),
        }),
    );
  }

  async broadcast<Payload extends object>(
    event: EventDefinition<Payload>,
    handler: (record: EventRecord<Payload>) => void,
  ): Promise<BroadcastSubscription> {
    return this.subscriptions.begin(() => this.startBroadcast(event, handler));
  }

  async ready(): Promise<boolean> {
    return !this.closing.signal.aborted && !this.queue.full && (await this.isReachable());
  }

  async deadLetters(topic: Topic): Promise<DeadLetter[]> {
    const listed: DeadLetter[] = [];
    for await (const page of this.dead.pages(topic)) {
      for (const { deadLetter } of page) listed.push(deadLetter);
      if (listed.length >= DEAD_LETTERS_LISTED) break;
    }
    return listed.slice(0, DEAD_LETTERS_LISTED);
  }

  async requeueDead(topic: Topic, ids?: readonly string[]): Promise<number> {
    let requeued = 0;
    for await (const page of this.dead.pages(topic)) {
      const chosen = page.filter(({ deadLetter }) => ids?.includes(deadLetter.id) ?? true).slice(0, DEAD_LETTERS_REQUEUED - requeued);
      if (chosen.length === 0) continue;
      // A record with two dead letters is appended once.
      const originals = new Map(
        chosen.map(({ deadLetter: { id, key, payload, position, sequence } }) => [position, { id, key, payload, sequence }]),
      );
      await this.appendEncoded(topic, [...originals.values()]);
      await this.dead.remove(
        topic,
        chosen.map(({ reference }) => reference),
      );
      requeued += chosen.length;
      if (requeued >= DEAD_LETTERS_REQUEUED) break;
    }
    return requeued;
  }

  close(): Promise<void> {
    this.closed ??= this.finish();
    return this.closed;
  }

  private async finish() {
    this.closing.abort();
    await this.subscriptions.end();
    // Calls that wait for their topic were accepted too; a tick later they are queued.
    await this.topics.settled();
    await new Promise(setImmediate);
    await this.queue.close();
    await this.release();
  }

  protected async appendEncoded(topic: Topic, encoded: readonly EncodedEvent[], deadlineMs = APPEND_DEADLINE_MS): Promise<void> {
    const found = await withTimeout(deadlineMs, this.topics.of(topic));
    if (!found) throw unavailable('The event log did not return the topic in time');
    const bytes = encoded.reduce((sum, { id, key, payload }) => sum + id.length + key.length + (payload?.length ?? 0), 0);
    await this.queue.add(this.entriesOf(topic, found.value, encoded), bytes, deadlineMs);
  }
}
