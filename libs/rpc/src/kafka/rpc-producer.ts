import { isDeepStrictEqual } from 'node:util';
import { Logger } from '@nestjs/common';
import { leadersOf } from '@tidings/kafka/await-topic-leaders';
import { unlessLost } from '@tidings/kafka/produce';
import { RECORD_BYTES_DEFAULT } from '@tidings/kafka/topic-settings';
import type { Kafka } from 'kafkajs';
import type { OutgoingRecord } from './coalescer';
import { BrokerProducer } from './broker-producer';
import { batchLengthMax, isTooLarge } from './record-size';

/** Shortest interval between two refreshes of the leaders, in ms. */
const REFRESH_INTERVAL_MS = 1_000;

const logger = new Logger('Kafka');

/** Sends all requests and replies of this process, with a producer for each broker. */
export class RpcProducer {
  private readonly producers = new Map<number, BrokerProducer>();
  /** Number of batches sent: records added at the same count share a batch. */
  batchCount = 0;
  /** When another leader of some partition was last seen, by `performance.now()`. */
  leadersChangedAt = -Infinity;
  private refreshing = Promise.resolve();
  private refreshedAt = -Infinity;

  constructor(
    private readonly kafka: Kafka,
    /** The node ids of partitions' leaders by topic, as last loaded. */
    private leaders: ReadonlyMap<string, readonly number[]>,
    /** Bytes of a record, and of a batch, that the brokers accept. */
    private readonly recordBytesMax = RECORD_BYTES_DEFAULT,
  ) {}

  /** Whether the brokers refuse a record with this value. */
  isTooLarge(value: string): boolean {
    return isTooLarge(value, this.recordBytesMax);
  }

  /** Whether no broker acknowledges records at the moment. */
  get isUnavailable(): boolean {
    const producers = [...this.producers.values()];
    return producers.length > 0 && producers.every(({ coalescer }) => coalescer.isUnavailable());
  }

  /** False when the record was refused: too much waits, or the broker is unavailable. */
  add(record: OutgoingRecord): boolean {
    return this.producerOf(record).coalescer.add(record);
  }

  /** See `Coalescer.sweep`. */
  sweep(now: number): void {
    for (const { coalescer } of this.producers.values()) coalescer.sweep(now);
  }

  /** Whether the same broker leads two partitions, as last loaded. */
  sameLeader(topic: string, one: number, other: number): boolean {
    return this.leaderOf(topic, one) === this.leaderOf(topic, other);
  }

  /** Refuses further records, and resolves when every record is sent or past its deadline. */
  async close(): Promise<void> {
    await Promise.all([...this.producers.values()].map((producer) => producer.close()));
  }

  /** -1 when it is unknown. */
  private leaderOf(topic: string, partition: number) {
    return this.leaders.get(topic)?.[partition] ?? -1;
  }

  private producerOf({ topic, message: { partition } }: OutgoingRecord) {
    const leader = this.leaderOf(topic, partition);
    let producer = this.producers.get(leader);
    if (!producer) {
      producer = new BrokerProducer(
        this.kafka,
        () => (this.batchCount += 1),
        (failed) => this.reroute(failed),
        undefined,
        undefined,
        batchLengthMax(this.recordBytesMax),
      );
      this.producers.set(leader, producer);
    }
    return producer;
  }

  /** Moves waiting records to the producers of their partitions' new leaders. */
  private async reroute(failed: BrokerProducer) {
    await this.refreshLeaders();
    for (const record of failed.coalescer.withdraw((one) => this.producerOf(one) !== failed)) {
      if (!this.producerOf(record).coalescer.add(record)) record.settled?.('not produced');
    }
  }

  /** Loads the leaders, unless that happened within 1 s; callers that ask meanwhile wait for the same load. Never rejects. */
  private refreshLeaders() {
    if (performance.now() - this.refreshedAt >= REFRESH_INTERVAL_MS) {
      this.refreshedAt = Infinity;
      this.refreshing = this.loadLeaders();
    }
    return this.refreshing;
  }

  private async loadLeaders() {
    const admin = this.kafka.admin();
    try {
      const topicNames = [...this.leaders.keys()];
      const { topics } = await unlessLost(admin.connect().then(() => admin.fetchTopicMetadata({ topics: topicNames })));
      const leaders = leadersOf(topics);
      if (!isDeepStrictEqual(leaders, this.leaders)) this.leadersChangedAt = performance.now();
      this.leaders = leaders;
    } catch (error) {
      logger.debug(`Refreshing the partition leaders failed: ${(error as Error).message}`);
    } finally {
      this.refreshedAt = performance.now();
      void admin.disconnect().catch(() => undefined);
    }
  }
}
