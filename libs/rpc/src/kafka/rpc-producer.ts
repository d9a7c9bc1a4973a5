import type { Kafka } from 'kafkajs';
import type { OutgoingRecord } from './coalescer';
import { BrokerProducer } from './broker-producer';
import type { PartitionLeaders } from './partition-leaders';

/** Everything this process sends over rpc: a lane to each broker. */
export class RpcProducer {
  private readonly lanes = new Map<number, BrokerProducer>();
  private batches = 0;

  constructor(
    private readonly kafka: Kafka,
    private readonly leaders: PartitionLeaders,
  ) {}

  /** @throws what kafkajs throws when the cluster cannot be reached. */
  connect(): Promise<void> {
    return this.leaders.load();
  }

  /** Counts the batches that left: records added under the same count will travel together. */
  get turn(): number {
    return this.batches;
  }

  /** Whether no broker takes anything at the moment. */
  get away(): boolean {
    if (this.lanes.size === 0) return false;
    for (const { coalescer } of this.lanes.values()) if (!coalescer.away()) return false;
    return true;
  }

  /** False when the record was refused: too much waits, or the broker is away. */
  add(record: OutgoingRecord): boolean {
    return this.laneOf(record).coalescer.add(record);
  }

  /** See `Coalescer.sweep`. */
  sweep(now: number): void {
    for (const { coalescer } of this.lanes.values()) coalescer.sweep(now);
  }

  /** Whether two partitions are led by the same broker, as far as is known. */
  sameLeader(topic: string, one: number, other: number): boolean {
    return this.leaders.of(topic, one) === this.leaders.of(topic, other);
  }

  /** Takes no more, and resolves when everything is sent or its time is over. */
  async close(): Promise<void> {
    await Promise.all([...this.lanes.values()].map((lane) => lane.close()));
  }

  private laneOf({ topic, message: { partition } }: OutgoingRecord): BrokerProducer {
    const leader = this.leaders.of(topic, partition);
    let lane = this.lanes.get(leader);
    if (!lane) {
      lane = new BrokerProducer(
        this.kafka,
        () => (this.batches += 1),
        (failed) => this.reroute(failed),
      );
      this.lanes.set(leader, lane);
    }
    return lane;
  }

  /** What waits for a broker that leads it no more goes to the one that does. */
  private async reroute(failed: BrokerProducer): Promise<void> {
    if (!(await this.leaders.refresh())) return;
    for (const record of failed.coalescer.takeBack((one) => this.laneOf(one) !== failed)) {
      if (!this.laneOf(record).coalescer.add(record)) record.settled?.('not taken');
    }
  }
}
