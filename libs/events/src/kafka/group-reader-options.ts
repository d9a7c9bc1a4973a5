import type { Kafka, KafkaMessage } from 'kafkajs';

export interface FetchedBatch {
  /** Of `GroupReader.generation`: what belongs to an older one may be another member's by now. */
  generation: number;
  partition: number;
  messages: KafkaMessage[];
  /** The offset that the next record of the partition gets. */
  highWatermark: string;
}

export interface GroupReaderOptions {
  kafka: Kafka;
  /** With its prefix. */
  topic: string;
  groupId: string;
  /** Where a group begins that has no place yet. */
  from: 'earliest' | 'latest';
  /** How long a fetch waits at its broker for something to come; a rebalance and a stop wait for it. Default 500 ms. */
  fetchWaitMs?: number;
  /** This partition and no other; the group must have this one member. Default: the group shares all partitions. */
  partition?: number;
  /** Nobody commits for this group: after an interruption it goes on behind what was delivered. */
  ephemeral?: boolean;
  /** Where an ephemeral group begins in these partitions, whatever `from` says. */
  startAt?: ReadonlyMap<number, bigint>;
  /**
   * Asked after every joining where to go on, for partitions that the member has now; what arrives before the answer is not
   * delivered. Default: what the group has committed. When it fails the consumer is made anew.
   */
  place?(partitions: readonly number[], generation: number): Promise<ReadonlyMap<number, bigint>>;
  /** Takes what was fetched, at once; fetching goes on meanwhile. Hold it back with `pause`. */
  onBatch(batch: FetchedBatch): void;
  /** The member has these partitions now; of each, everything behind its committed place comes (again). */
  onAssigned?(partitions: readonly number[], generation: number): void;
  /** The group is about to divide its partitions anew: the last moment to commit for this generation. */
  onRebalancing?(): void;
}
