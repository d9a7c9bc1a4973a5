import { cloudEventSource } from '@tidings/contracts/core/cloud-events';
import { unavailable } from '@tidings/contracts/core/errors';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { KafkaAdmin } from '@tidings/kafka/admin';
import { createKafkaClient } from '@tidings/kafka/client';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { ensureTopics } from '@tidings/kafka/topics';
import type { Kafka } from 'kafkajs';
import type { DeadLetter } from '../dead-letters';
import type { BroadcastHandler } from '../event-log';
import type { EncodedEvent } from '../new-event';
import { AppendQueue, QueuedEventLog } from '../queued-event-log';
import type { Topic } from '../topic';
import { KafkaGroupSource } from './group-source';
import { KafkaBroadcasting } from './kafka-broadcasting';
import { deadLetterPages, encodeDeadLetter } from './kafka-dead-letters';
import { type OutgoingRecord, RecordProducer } from './record-producer';
import { toMessage } from './records';

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
  private readonly admin = new KafkaAdmin(this.kafka);
  private readonly producer = new RecordProducer(this.kafka);
  protected readonly queue = new AppendQueue(this.producer, true);
  private readiness?: Promise<boolean>;

  private constructor(
    private readonly kafka: Kafka,
    private readonly options: KafkaEventLogOptions,
  ) {
    super();
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
    await Promise.all(topics.map((topic) => this.find(topic)));
  }

  protected async lookUp({ topic, compacted, retentionMs, isDead }: Topic) {
    const name = `${this.options.settings.topicPrefix}${topic}`;
    // A tombstone under a dead letter's key removes it.
    const kind = isDead ? { compacted: true, partitions: DEAD_PARTITIONS } : { compacted, partitions: PARTITIONS };
    await ensureTopics(this.kafka, [{ topic: name, retentionMs, lasting: true, ...kind }]);
    return name;
  }

  protected entriesOf({ topic: type, from = this.options.clientId }: Topic, topic: string, encoded: readonly EncodedEvent[]) {
    const origin = { type, source: cloudEventSource(from), time: Date.now() };
    return encoded.map((one) => ({ topic, message: toMessage(one, origin) }));
  }

  protected async join(event: Topic, group: string, maxBatch: number) {
    const { kafka, admin, options } = this;
    const topic = await this.find(event);
    return KafkaGroupSource.join({ kafka, admin, topic, groupId: `${topic}.${group}`, maxBatch, fetchWaitMs: options.fetchWaitMs });
  }

  protected async startBroadcast(event: Topic, handler: BroadcastHandler<never>) {
    const { kafka, admin, options } = this;
    const topic = await this.find(event);
    const ends = await admin.request((connected) => connected.fetchTopicOffsets(topic));
    const startAt = new Map(ends.map(({ partition, high }) => [partition, BigInt(high)]));
    return KafkaBroadcasting.start({ kafka, topic, startAt, fetchWaitMs: options.fetchWaitMs }, handler);
  }

  protected encodeDead(id: string, deadLetter: DeadLetter) {
    return encodeDeadLetter(id, deadLetter);
  }

  protected async *deadPages(deadTopic: Topic) {
    yield* deadLetterPages(this.kafka, this.admin, await this.find(deadTopic));
  }

  protected removeDead(deadTopic: Topic, keys: readonly string[]) {
    return this.appendEncoded(
      deadTopic,
      keys.map((key) => ({ id: key, key, payload: null })),
    );
  }

  protected async isReachable() {
    this.readiness ??= this.admin
      .request((admin) => admin.describeCluster())
      .then(
        ({ brokers }) => brokers.length > 0,
        () => false,
      )
      .finally(() => (this.readiness = undefined));
    return (await withTimeout(READY_MS_MAX, this.readiness))?.value ?? false;
  }

  protected async release() {
    await Promise.all([this.producer.close(), this.admin.close()]);
  }
}
