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
import { BatchPacer } from '@tidings/kafka/batch-pacer';
import { Subscriptions } from '../subscriptions';
import type { Topic } from '../topic';
import { KafkaAdmin } from '@tidings/kafka/admin';
import { Broadcasting } from './broadcasting';
import { createKafkaClient } from '@tidings/kafka/client';
import { Consumption } from './consumption';
import { type ExistingTopic, TopicRegistry } from './topic-registry';
import { KafkaDeadLetters, deadLetterMessage } from './kafka-dead-letters';
import { type OutgoingRecord, RecordProducer } from './record-producer';
import { toMessage } from './records';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { withTimeout } from '@tidings/contracts/core/with-timeout';

const READY_MS_MAX = 1_000;

interface KafkaEventLogOptions {
  settings: KafkaSettings;
  /** Names this process in the brokers' logs and quotas; also the source of events whose definition names none. */
  clientId: string;
  /** How long a fetch of an idle subscription waits at its broker; a rebalance and a stop wait for it. Default 500 ms. */
  fetchWaitMs?: number;
}

/**
 * The event log as Kafka topics, created on first use with explicit partitions and retention. The group of a topic is named
 * `<prefix><topic>.<group>` in the cluster.
 */
export class KafkaEventLog implements EventLog, DeadLetters {
  private readonly admin: KafkaAdmin;
  private readonly producer: RecordProducer;
  private readonly queue: AppendQueue<OutgoingRecord>;
  private readonly topics: TopicRegistry;
  private readonly dead: KafkaDeadLetters;
  private readonly subscriptions = new Subscriptions();
  private readiness?: Promise<boolean>;
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
    this.dead = new KafkaDeadLetters(
      kafka,
      this.admin,
      this.topics,
      async (topic, events) => this.appendEncoded(await this.topics.of(topic), this.sourceOf(topic), events, APPEND_DEADLINE_MS),
      async (topic, messages) => this.appendMessages(await this.topics.deadOf(topic), messages, APPEND_DEADLINE_MS),
    );
  }

  /** @throws ServiceError `unavailable` when the cluster cannot be reached; once connected, the log reconnects by itself. */
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
   * Creates missing topics and checks existing ones.
   * @throws ServiceError `unavailable` when the cluster is unavailable, or naming an unfit topic and what to change.
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
    const found = await withTimeout(deadlineMs, this.topics.of(event));
    if (!found) throw unavailable('Kafka did not return the topic in time');
    await this.appendEncoded(found.value, this.sourceOf(event), encoded, deadlineMs);
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
        putDeadLetter: async (read, reason, attempts) => {
          const dead = await this.topics.deadOf(event);
          const origin = { type: dead.type, source: cloudEventSource(this.options.clientId) };
          await this.appendMessages(dead, [deadLetterMessage(event, origin, group, read, reason, attempts)], APPEND_DEADLINE_MS);
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
      const ends = await admin.request((connected) => connected.fetchTopicOffsets(topic));
      const startAt = new Map(ends.map(({ partition, high }) => [partition, BigInt(high)]));
      return Broadcasting.start<Payload>({ kafka, topic, startAt, handler, fetchWaitMs: this.options.fetchWaitMs });
    });
  }

  async ready(): Promise<boolean> {
    if (this.closing || this.queue.full) return false;
    this.readiness ??= this.admin
      .request((admin) => admin.describeCluster())
      .then(
        ({ brokers }) => brokers.length > 0,
        () => false,
      )
      .finally(() => (this.readiness = undefined));
    return (await withTimeout(READY_MS_MAX, this.readiness))?.value ?? false;
  }

  deadLetters(topic: Topic, limit?: number): Promise<DeadLetter[]> {
    return this.dead.deadLetters(topic, limit);
  }

  requeueDead(topic: Topic, options?: RequeueOptions): Promise<number> {
    return this.dead.requeueDead(topic, options);
  }

  close(): Promise<void> {
    this.closed ??= this.finish();
    return this.closed;
  }

  private async finish(): Promise<void> {
    this.closing = true;
    await this.subscriptions.end();
    // Calls that wait for their topic were accepted too; a tick later they are queued.
    await this.topics.settled();
    await new Promise(setImmediate);
    await this.queue.close();
    await Promise.all([this.producer.close(), this.admin.close()]);
  }

  private async appendEncoded(found: ExistingTopic, source: string, encoded: readonly EncodedEvent[], deadlineMs: number): Promise<void> {
    const origin = { type: found.type, source, time: Date.now() };
    const messages = encoded.map((one) => toMessage(one, origin));
    await this.appendMessages(found, messages, deadlineMs);
  }

  private async appendMessages({ topic }: ExistingTopic, messages: readonly Message[], deadlineMs: number): Promise<void> {
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
