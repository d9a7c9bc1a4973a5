import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicMetadata, KafkaJSError } from 'kafkajs';

/** Until every broker knows a new topic and its partitions have leaders. */
const LEADERS_MS_MAX = 5_000;
const POLL_INTERVAL_MS = 50;

/**
 * See `leadersOf`; resolves once the cluster knows all topics and each partition has a leader, after 5 s without them.
 * @throws what kafkajs throws when the cluster cannot be reached.
 */
export async function awaitTopicLeaders(admin: Admin, names: readonly string[]): Promise<Map<string, number[]>> {
  const until = performance.now() + LEADERS_MS_MAX;
  for (;;) {
    const isOver = performance.now() >= until;
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
      const hasLeaders = topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0));
      if (hasLeaders || isOver) return leadersOf(topics);
    } catch (error) {
      if (isOver || !isRetriable(error as KafkaJSError)) throw error;
    }
    await delay(POLL_INTERVAL_MS);
  }
}

/** The node ids of the brokers that lead the partitions of each topic; -1 for a partition without a leader. */
export function leadersOf(metadata: readonly ITopicMetadata[]): Map<string, number[]> {
  return new Map(
    metadata.map(({ name, partitions }) => [
      name,
      partitions.toSorted((a, b) => a.partitionId - b.partitionId).map(({ leader }) => leader),
    ]),
  );
}

/** kafkajs also throws an error of its own after a few retries, and a `TypeError` when no broker answered. */
function isRetriable(error: KafkaJSError) {
  return error.retriable || error.name === 'KafkaJSNumberOfRetriesExceeded' || error instanceof TypeError;
}
