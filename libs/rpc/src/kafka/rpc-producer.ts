import type { Kafka } from 'kafkajs';
import type { OutgoingRecord } from './coalescer';
import { BrokerProducer } from './broker-producer';
import type { PartitionLeaders } from './partition-leaders';

/** Sends all requests and replies of this process, with a producer for each broker. */
export class RpcProducer {
  private readonly producers = new Map<number, BrokerProducer>();
  private batches = 0;

  constructor(
    private readonly kafka: Kafka,
    private readonly leaders: PartitionLeaders,
  ) {}

  /** @throws what kafkajs throws when the cluster cannot be reached. */
  connect(): Promise<void> {
    return this.leaders.load();
  }

  /** Number of batches sent: records added at the same count share a batch. */
  get batchCount(): number {
    return this.batches;
  }

  /** Whether no broker acknowledges records at the moment. */
  get isUnavailable(): boolean {
    if (this.producers.size === 0) return false;
    for (const { coalescer } of this.producers.values()) if (!coalescer.isUnavailable()) return false;
    return true;
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
    return this.leaders.of(topic, one) === this.leaders.of(topic, other);
  }

  /** Refuses further records, and resolves when every record is sent or past its deadline. */
  async close(): Promise<void> {
    await Promise.all([...this.producers.values()].map((producer) => producer.close()));
  }

  private producerOf({ topic, message: { partition } }: OutgoingRecord): BrokerProducer {
    const leader = this.leaders.of(topic, partition);
    let producer = this.producers.get(leader);
    if (!producer) {
      producer = new BrokerProducer(
        this.kafka,
        () => (this.batches += 1),
        (failed) => this.reroute(failed),
      );
      this.producers.set(leader, producer);
    }
    return producer;
  }

  /** Moves waiting records to the producers of their partitions' new leaders. */
  private async reroute(failed: BrokerProducer): Promise<void> {
    if (!(await this.leaders.refresh())) return;
    for (const record of failed.coalescer.withdraw((one) => this.producerOf(one) !== failed)) {
      if (!this.producerOf(record).coalescer.add(record)) record.settled?.('not produced');
    }
  }
}
