import { cloudEventSource } from '@tidings/contracts/core/cloud-events';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { KafkaAdmin } from '@tidings/kafka/admin';
import { createKafkaClient } from '@tidings/kafka/client';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { RecordSigner, type SignatureFault } from '@tidings/kafka/record-signer';
import { ClusterTopics } from '@tidings/kafka/topics';
import type { Kafka, Message } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import type { ReadRecord } from '../consumption';
import type { NewDeadLetter } from '../dead-letters';
import type { AnyRecord, BroadcastHandler } from '../event-log';
import type { EncodedEvent } from '../new-event';
import { AppendQueue, type JoinOptions, QueuedEventLog } from '../queued-event-log';
import { deadTopicOf, type Topic } from '../topic';
import { KafkaGroupSource } from './group-source';
import { KafkaBroadcasting } from './kafka-broadcasting';
import { encodeDeadLetter } from './kafka-dead-letters';
import { KafkaDeadLetters } from './kafka-dead-letter-store';
import { type OutgoingRecord, RecordProducer } from './record-producer';
import { readToEnd } from './read-to-end';
import { locationOf, type Origin, toMessage } from './records';
import { remainingRecords } from './remaining-records';
import { SignedEvents } from './signed-events';
import { StoredPositions } from './stored-positions';
import { SKIPS } from './topic-access';

/** Enough for a dozen members of a group, few enough for one member that reads them all. */
const PARTITIONS = 12;
/** Of a small topic: read in one order. */
const SMALL_PARTITIONS = 1;
const READY_MS_MAX = 1_000;

interface KafkaEventLogOptions {
  settings: KafkaSettings;
  /** Names this process in the brokers' logs and quotas; also the source of events whose definition names none. */
  clientId: string;
  /** How long a fetch of an idle subscription waits at its broker; a rebalance and a stop wait for it. Default 500 ms. */
  fetchWaitMs?: number;
  /** How often readiness checks the topics. Default 30 s. */
  topicCheckIntervalMs?: number;
  /** Called for every record that is refused, for metrics. */
  onRefused?(reason: SignatureFault, topic: string): void;
}

/**
 * The event log as Kafka topics, created on first use with explicit partitions and retention. The group of a topic is named
 * `<prefix><topic>.<group>` in the cluster.
 */
export class KafkaEventLog extends QueuedEventLog<string, OutgoingRecord> {
  override readonly isSigned = true;
  private readonly admin = new KafkaAdmin(this.kafka);
  private readonly clusterTopics = new ClusterTopics(this.kafka, this.options.settings.topics, this.options.topicCheckIntervalMs);
  private readonly producer = new RecordProducer(this.kafka);
  private readonly topicReader = { kafka: this.kafka, admin: this.admin, clientId: this.options.clientId };
  protected readonly queue = new AppendQueue(this.producer, true);
  private readonly signed: SignedEvents;
  private readonly sources: KafkaGroupSource[] = [];
  readonly deadLetters = new KafkaDeadLetters({
    reader: this.topicReader,
    topicPrefix: this.options.settings.topicPrefix,
    append: (topic, encoded) => this.appendEncoded(topic, encoded),
  });
  private readiness?: Promise<boolean>;

  private constructor(
    private readonly kafka: Kafka,
    private readonly options: KafkaEventLogOptions,
  ) {
    super();
    const { topicPrefix, signing } = options.settings;
    const { secrets, acceptsUnsigned = false } = signing;
    const { onRefused = () => undefined } = options;
    this.signed = new SignedEvents({ signer: new RecordSigner(secrets, 'events', topicPrefix), acceptsUnsigned, onRefused });
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

  /** What an operator has to change in a topic that this process uses: see `ClusterTopics.fault`. */
  topicFault() {
    return this.clusterTopics.fault();
  }

  /** The partitions of groups of this process that wait, because a record is signed with an unknown key. */
  waiting() {
    return this.sources.flatMap((source) => source.waiting());
  }

  override async skipUnverified(topic: string): Promise<void> {
    await this.appendEncoded(SKIPS, [{ id: randomUUID(), key: topic, payload: '{}' }]);
  }

  async erase() {
    return { removed: 0, remaining: await remainingRecords(this.admin, this.options.settings.topicPrefix) };
  }

  protected async lookUp({ topic, compacted, retentionMs, isSmall }: Topic) {
    const name = `${this.options.settings.topicPrefix}${topic}`;
    // A tombstone under a dead letter's key removes it.
    const kind = isSmall ? { compacted: true, partitions: SMALL_PARTITIONS } : { compacted, partitions: PARTITIONS };
    await this.clusterTopics.ensure([{ topic: name, retentionMs, lasting: true, ...kind }]);
    return name;
  }

  protected entriesOf({ topic: type, from = this.options.clientId }: Topic, topic: string, encoded: readonly EncodedEvent[]) {
    const origin = { type, source: cloudEventSource(from), time: Date.now() };
    return encoded.map((one) => ({ topic, message: this.messageOf(topic, one, origin) }));
  }

  protected async join(event: Topic, { group, maxBatch, positions }: JoinOptions) {
    const { kafka, admin, signed } = this;
    const { fetchWaitMs } = this.options;
    const topic = await this.find(event);
    const groupId = `${topic}.${group}`;
    const name = event.topic;
    const skipsUntil = () => this.skipsUntil(name);
    const source = await KafkaGroupSource.join({
      ...{ kafka, admin, topic, name, groupId, maxBatch, fetchWaitMs, signed, skipsUntil },
      positions: positions && new StoredPositions(positions, { topic, group }),
    });
    this.sources.push(source);
    return source;
  }

  protected async startBroadcast(event: Topic, handler: BroadcastHandler<never>, onMissed: () => void) {
    const { kafka, admin, signed } = this;
    const { clientId, fetchWaitMs } = this.options;
    const topic = await this.find(event);
    const ends = await admin.request((connected) => connected.fetchTopicOffsets(topic));
    const startAt = new Map(ends.map(({ partition, high }) => [partition, BigInt(high)]));
    return KafkaBroadcasting.start({ kafka, topic, startAt, fetchWaitMs, clientId, signed, onMissed }, handler);
  }

  protected whereIs({ topic }: Topic, { position }: AnyRecord) {
    const { partition, offset } = locationOf(position);
    return `${topic}, partition ${partition}, offset ${offset}`;
  }

  protected async storeDeadLetter(topic: Topic, id: string, deadLetter: NewDeadLetter, read: ReadRecord) {
    if (read.unauthenticated && !(await this.deadLetters.mayStoreUnauthenticated(topic))) return;
    const dead = deadTopicOf(topic);
    try {
      await this.appendEncoded(dead, [encodeDeadLetter(id, deadLetter, read)]);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'payload_too_large')) throw error;
      await this.appendEncoded(dead, [encodeDeadLetter(id, deadLetter, read, true)]);
    }
  }

  private messageOf(topic: string, event: EncodedEvent, origin: Origin): Message {
    return event.raw ?? this.signed.sign(topic, toMessage(event, origin));
  }

  private async skipsUntil(name: string) {
    let until = -Infinity;
    const skips = await this.find(SKIPS);
    await readToEnd(this.topicReader, skips, (message) => {
      if (message.key?.toString() === name && !this.signed.faultOf(skips, message)) until = Math.max(until, Number(message.timestamp));
    });
    return until;
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
    await Promise.all([this.producer.close(), this.admin.close(), this.clusterTopics.close()]);
  }
}
