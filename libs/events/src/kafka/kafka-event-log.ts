import { cloudEventSource } from '@tidings/contracts/core/cloud-events';
import { unavailable } from '@tidings/contracts/core/errors';
import type { EventDefinition } from '@tidings/contracts/core/event';
import type { Kafka, Message } from 'kafkajs';
import { AppendQueue } from '../append-queue';
import { APPEND_DEADLINE_MS, assertMaxBatch, BATCH_RECORDS } from '../bounds';
import type { DeadLetter, DeadLetters, RequeueOptions } from '../dead-letters';
import type {
  AppendOptions,
  BatchHandler,
  BroadcastSubscription,
  ConsumeOptions,
  EventLog,
  EventRecord,
  NewEvent,
  Subscription,
} from '../event-log';
import { type EncodedEvent, encodeEvent } from '../new-event';
import { BatchPacer } from '../batch-pacer';
import { Subscriptions } from '../subscriptions';
import type { Topic } from '../topic';
import { KafkaAdmin } from './admin';
import { Broadcasting } from './broadcasting';
import { createKafkaClient } from './client';
import { Consumption } from './consumption';
import { type KnownTopic, TopicRegistry } from './topic-registry';
import { KafkaDeadLetters, letterMessage } from './kafka-dead-letters';
import { type OutgoingRecord, RecordProducer } from './record-producer';
import { toMessage } from './records';
import type { KafkaSettings } from './settings';
import { withTimeout } from '../with-timeout';

const READY_MS_MAX = 1_000;

interface KafkaEventLogOptions {
  settings: KafkaSettings;
  /** What the brokers' logs and quotas call this process, and the source of events whose definition names none. */
  clientId: string;
  /** How long a fetch of an idle subscription waits at its broker; a rebalance and a stop wait for it. Default 500 ms. */
  fetchWaitMs?: number;
}

/**
 * The event log as Kafka topics, made on first use with explicit partitions and retention. The groups of a topic are called
 * `<prefix><topic>.<group>` in the cluster.
 */
export class KafkaEventLog implements EventLog, DeadLetters {
  private readonly admin: KafkaAdmin;
  private readonly producer: RecordProducer;
  private readonly queue: AppendQueue<OutgoingRecord>;
  private readonly topics: TopicRegistry;
  private readonly letters: KafkaDeadLetters;
  private readonly subscriptions = new Subscriptions();
  private asked?: Promise<boolean>;
  private closing = false;
  private closed?: Promise<void>;

  private constructor(
    private readonly kafka: Kafka,
    private readonly options: KafkaEventLogOptions,
  ) {
    this.admin = new KafkaAdmin(kafka);
    this.producer = new RecordProducer(kafka);
    this.queue = new AppendQueue((records, attempt) => this.producer.append(records, attempt), new BatchPacer());
    this.topics = new TopicRegistry(kafka, options.settings.topicPrefix);
    this.letters = new KafkaDeadLetters(
      kafka,
      this.admin,
      this.topics,
      async (topic, events) => this.appendEncoded(await this.topics.of(topic), this.sourceOf(topic), events, APPEND_DEADLINE_MS),
      async (topic, messages) => this.appendMessages(await this.topics.deadOf(topic), messages, APPEND_DEADLINE_MS),
    );
  }

  /** @throws ServiceError `unavailable` when the cluster cannot be reached; once connected, the log helps itself. */
  static async connect(options: KafkaEventLogOptions): Promise<KafkaEventLog> {
    const log = new KafkaEventLog(createKafkaClient(options.settings, options.clientId), options);
    try {
      await log.producer.connect();
      return log;
    } catch (error) {
      await log.close();
      throw unavailable(`Kafka cannot be reached: ${(error as Error).message}`, error);
    }
  }

  /**
   * Makes the topics that are missing and checks those that exist, before anything depends on them.
   * @throws ServiceError `unavailable` saying which one cannot do its work and what to change, or that the cluster is away.
   */
  async checkTopics(topics: readonly Topic[]): Promise<void> {
    const outcomes = await Promise.allSettled(topics.map((topic) => this.topics.of(topic)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async append<Payload extends object>(
    event: EventDefinition<Payload>,
    events: readonly NewEvent<Payload>[],
    { deadlineMs = APPEND_DEADLINE_MS }: AppendOptions = {},
  ): Promise<void> {
    if (events.length === 0) return;
    const encoded = events.map((one) => encodeEvent(event, one));
    const known = await withTimeout(deadlineMs, this.topics.of(event));
    if (!known) throw unavailable('Kafka cannot be asked for the topic in time');
    await this.appendEncoded(known.value, this.sourceOf(event), encoded, deadlineMs);
  }

  async consume<Payload extends object>(
    event: EventDefinition<Payload>,
    { group, maxBatch = BATCH_RECORDS, onDead }: ConsumeOptions<Payload>,
    handler: BatchHandler<Payload>,
  ): Promise<Subscription> {
    assertMaxBatch(maxBatch);
    const { kafka, admin } = this;
    return this.subscriptions.begin(async () => {
      const { topic } = await this.topics.of(event);
      return Consumption.start<Payload>({
        kafka,
        admin,
        topic,
        groupId: `${topic}.${group}`,
        maxBatch,
        fetchWaitMs: this.options.fetchWaitMs,
        handler,
        onDead,
        bury: async (read, reason, attempts) => {
          const dead = await this.topics.deadOf(event);
          const origin = { type: dead.type, source: cloudEventSource(this.options.clientId) };
          await this.appendMessages(dead, [letterMessage(event, origin, group, read, reason, attempts)], APPEND_DEADLINE_MS);
        },
      });
    });
  }

  async broadcast<Payload extends object>(
    event: EventDefinition<Payload>,
    handler: (record: EventRecord<Payload>) => void,
  ): Promise<BroadcastSubscription> {
    const { kafka, admin } = this;
    return this.subscriptions.begin(async () => {
      const { topic } = await this.topics.of(event);
      const ends = await admin.ask((asked) => asked.fetchTopicOffsets(topic));
      const startAt = new Map(ends.map(({ partition, high }) => [partition, BigInt(high)]));
      return Broadcasting.start<Payload>({ kafka, topic, startAt, handler, fetchWaitMs: this.options.fetchWaitMs });
    });
  }

  async ready(): Promise<boolean> {
    if (this.closing || this.queue.full) return false;
    this.asked ??= this.admin
      .ask((admin) => admin.describeCluster())
      .then(
        ({ brokers }) => brokers.length > 0,
        () => false,
      )
      .finally(() => (this.asked = undefined));
    return (await withTimeout(READY_MS_MAX, this.asked))?.value ?? false;
  }

  deadLetters(topic: Topic, limit?: number): Promise<DeadLetter[]> {
    return this.letters.deadLetters(topic, limit);
  }

  requeueDead(topic: Topic, options?: RequeueOptions): Promise<number> {
    return this.letters.requeueDead(topic, options);
  }

  close(): Promise<void> {
    this.closed ??= this.finish();
    return this.closed;
  }

  private async finish(): Promise<void> {
    this.closing = true;
    await this.subscriptions.end();
    // Calls that wait for their topic were accepted too; a turn later they are in the queue.
    await this.topics.settled();
    await new Promise(setImmediate);
    await this.queue.close();
    await Promise.all([this.producer.close(), this.admin.close()]);
  }

  private async appendEncoded(known: KnownTopic, source: string, encoded: readonly EncodedEvent[], deadlineMs: number): Promise<void> {
    const origin = { type: known.type, source, time: Date.now() };
    const messages = encoded.map((one) => toMessage(one, origin));
    await this.appendMessages(known, messages, deadlineMs);
  }

  private async appendMessages({ topic }: KnownTopic, messages: readonly Message[], deadlineMs: number): Promise<void> {
    let size = 0;
    const records = messages.map((message) => {
      size += (message.key?.length ?? 0) + (message.value?.length ?? 0);
      return { topic, message };
    });
    await this.queue.add(records, size, deadlineMs);
  }

  private sourceOf(event: Topic & { from?: string }): string {
    return cloudEventSource(event.from ?? this.options.clientId);
  }
}
