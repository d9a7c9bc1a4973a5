/** The part of kafkajs' consumer group that is patched here. */
interface ConsumerGroup {
  readonly cluster: { findTopicPartitionMetadata(topic: string): readonly { partitionId: number; offlineReplicas?: readonly number[] }[] };
  readonly preferredReadReplicasPerTopicPartition: Record<string, Record<number, { nodeId: number } | undefined> | undefined>;
  recoverFromOffsetOutOfRange(error: { topic: string; partition: number }): Promise<void>;
  findReadReplicaForPartitions(topic: string, partitions: readonly number[]): Record<number, number[]>;
}

const { prototype } = require('kafkajs/src/consumer/consumerGroup') as { prototype: ConsumerGroup };
const { recoverFromOffsetOutOfRange, findReadReplicaForPartitions } = prototype;

/**
 * A follower that lags refuses an offset that its leader has. kafkajs 2.2.4 means to try the leader then, but tests the type of a
 * former version's field: it resets to the default offset, so a group would read its topic again from the beginning.
 */
prototype.recoverFromOffsetOutOfRange = async function (error) {
  const replicas = this.preferredReadReplicasPerTopicPartition[error.topic];
  if (!replicas?.[error.partition]) return recoverFromOffsetOutOfRange.call(this, error);
  delete replicas[error.partition];
};

/** kafkajs 2.2.4 looks for the leader among the offline replicas, and so goes on reading from a follower whose broker has stopped. */
prototype.findReadReplicaForPartitions = function (topic, partitions) {
  const replicas = this.preferredReadReplicasPerTopicPartition[topic];
  if (replicas)
    for (const { partitionId, offlineReplicas } of this.cluster.findTopicPartitionMetadata(topic)) {
      const preferred = replicas[partitionId];
      if (preferred && offlineReplicas?.includes(preferred.nodeId)) delete replicas[partitionId];
    }
  return findReadReplicaForPartitions.call(this, topic, partitions);
};
