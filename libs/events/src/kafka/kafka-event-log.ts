import { cloudEventSource } from '@tidings/contracts/core/cloud-events';
import { unavailable } from '@tidings/contracts/core/errors';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { KafkaAdmin } from '@tidings/kafka/admin';
import { createKafkaClient } from '@tidings/kafka/client';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { ensureTopics } from '@tidings/kafka/topics';
import type { Kafka, Message } from 'kafkajs';
import { AppendQueue } from '../append-queue';
import type { GroupSource } from '../consumption';
import type { DeadLetter } from '../dead-letters';
import { APPEND_DEADLINE_MS, type BroadcastSubscription, type EventRecord } from '../event-log';
import type { EncodedEvent } from '../new-event';
import { QueuedEventLog } from '../queued-event-log';
import { deadTopicOf, type Topic } from '../topic';
import { KafkaGroupSource } from './group-source';
import { KafkaBroadcasting } from './kafka-broadcasting';
import { deadLetterMessage, KafkaDeadLetters } from './kafka-dead-letters';
import { type OutgoingRecord, RecordProducer } from './record-producer';
import { type Origin, toMessage } from './records';

/** Enough for a dozen members of a group, few enough for one member that reads them all. */
const PARTITIONS = 12;
/** Dead letters are few, and are listed in one order. */
const DEAD_PARTITIONS = 1;
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
export class KafkaEventLog extends QueuedEventLog<string, OutgoingRecord> {
  protected readonly queue: AppendQueue<OutgoingRecord>;
  protected readonly dead: KafkaDeadLetters;
  private readonly admin: KafkaAdmin;
  private readonly producer: RecordProducer;
  private readiness?: Promise<boolean>;

  private constructor(
    private readonly kafka: Kafka,
    private readonly options: KafkaEventLogOptions,
  ) {
    super();
    this.admin = new KafkaAdmin(kafka);
    this.producer = new RecordProducer(kafka);
    this.queue = new AppendQueue((records, attempt) => this.producer.append(records, attempt), true);
    this.dead = new KafkaDeadLetters(
      kafka,
      this.admin,
      (topic) => this.topics.of(deadTopicOf(topic)),
      (deadTopic, messages) => this.appendMessages(deadTopic, messages),
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
    await Promise.all(topics.map((topic) => this.topics.of(topic)));
  }

  protected async lookUp({ topic, compacted, retentionMs, isDead }: Topic): Promise<string> {
    const name = `${this.options.settings.topicPrefix}${topic}`;
    // A tombstone under a dead letter's key removes it.
    const kind = isDead ? { compacted: true, partitions: DEAD_PARTITIONS } : { compacted, partitions: PARTITIONS };
    await ensureTopics(this.kafka, [{ topic: name, retentionMs, lasting: true, ...kind }]);
    return name;
  }

  protected entriesOf(event: Topic, topic: string, encoded: readonly EncodedEvent[]): OutgoingRecord[] {
    const origin = this.originOf(event);
    return encoded.map((one) => ({ topic, message: toMessage(one, origin) }));
  }

  protected async join<Payload extends object>(event: Topic, group: string, maxBatch: number): Promise<GroupSource<Payload>> {
    const { kafka, admin, options } = this;
    const topic = await this.topics.of(event);
    return KafkaGroupSource.join({ kafka, admin, topic, groupId: `${topic}.${group}`, maxBatch, fetchWaitMs: options.fetchWaitMs });
  }

  protected async startBroadcast<Payload extends object>(
    event: Topic,
    handler: (record: EventRecord<Payload>) => void,
  ): Promise<BroadcastSubscription> {
    const { kafka, admin, options } = this;
    const topic = await this.topics.of(event);
    const ends = await admin.request((connected) => connected.fetchTopicOffsets(topic));
    const startAt = new Map(ends.map(({ partition, high }) => [partition, BigInt(high)]));
    return KafkaBroadcasting.start({ kafka, topic, startAt, fetchWaitMs: options.fetchWaitMs }, handler);
  }

  protected async putDeadLetter(topic: Topic, deadLetter: DeadLetter): Promise<void> {
    const dead = deadTopicOf(topic);
    await this.appendMessages(await this.topics.of(dead), [deadLetterMessage(topic, this.originOf(dead), deadLetter)]);
  }

  protected async isReachable(): Promise<boolean> {
    this.readiness ??= this.admin
      .request((admin) => admin.describeCluster())
      .then(
        ({ brokers }) => brokers.length > 0,
        () => false,
      )
      .finally(() => (this.readiness = undefined));
    return (await withTimeout(READY_MS_MAX, this.readiness))?.value ?? false;
  }

  protected async release(): Promise<void> {
    await Promise.all([this.producer.close(), this.admin.close()]);
  }

  private async appendMessages(topic: string, messages: readonly Message[]): Promise<void> {
    const bytes = messages.reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0), 0);
    await this.queue.add(
      messages.map((message) => ({ topic, message })),
      bytes,
      APPEND_DEADLINE_MS,
    );
  }

  private originOf({ topic, from = this.options.clientId }: Topic): Origin {
    return { type: topic, source: cloudEventSource(from), time: Date.now() };
  }
}
