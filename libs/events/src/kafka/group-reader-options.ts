import type { Kafka, KafkaMessage } from 'kafkajs';

export interface FetchedBatch {
  /** Of `GroupReader.generation`: records of an older one may belong to another member now. */
  generation: number;
  partition: number;
  messages: KafkaMessage[];
  /** Offset of the next record to be appended. */
  highWatermark: string;
}

export interface GroupReaderOptions {
  kafka: Kafka;
  /** With its prefix. */
  topic: string;
  groupId: string;
  /** Where a group without committed offsets starts. */
  from: 'earliest' | 'latest';
  /** How long a fetch waits at its broker for records; a rebalance and a stop wait for it. Default 500 ms. */
  fetchWaitMs?: number;
  /** Read this partition alone; the group must have no other member. Default: the group shares all partitions. */
  partition?: number;
  /** The group commits nothing: after an interruption it continues after the last delivered record. */
  ephemeral?: boolean;
  /** Where an ephemeral group starts in these partitions; overrides `from`. */
  startAt?: ReadonlyMap<number, bigint>;
  /**
   * Called after every join: where to continue in the member's partitions. Records that arrive before it resolves are not
   * delivered. When it fails the consumer is replaced. Default: the committed offsets.
   */
  startOffsets?(partitions: readonly number[], generation: number): Promise<ReadonlyMap<number, bigint>>;
  /** Takes fetched records synchronously; fetching continues. Limit it with `pause`. */
  onBatch(batch: FetchedBatch): void;
  /** The member has these partitions now; records after the committed offsets are delivered (again). */
  onAssigned?(partitions: readonly number[], generation: number): void;
  /** A rebalance is about to start: the last moment to commit for this generation. */
  onRebalancing?(): void;
}
