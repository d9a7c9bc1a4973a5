import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicMetadata, KafkaJSError } from 'kafkajs';

/** Until every broker knows a new topic and its partitions have leaders. */
const LEADERS_MS_MAX = 5_000;
const POLL_INTERVAL_MS = 50;

/**
 * Metadata of topics, once the cluster knows them all and each partition has a leader; after 5 s the metadata as it is.
 * @throws what kafkajs throws when the cluster cannot be reached.
 */
export async function awaitTopicLeaders(admin: Admin, names: readonly string[]): Promise<ITopicMetadata[]> {
  const until = performance.now() + LEADERS_MS_MAX;
  for (;;) {
    const isOver = performance.now() >= until;
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
      const led = topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0));
      if (led || isOver) return topics;
    } catch (error) {
      if (isOver || !isTransient(error as KafkaJSError)) throw error;
    }
    await delay(POLL_INTERVAL_MS);
  }
}

/** kafkajs also throws an error of its own after a few retries, and a `TypeError` when no broker answered. */
function isTransient(error: KafkaJSError): boolean {
  return error.retriable || error.name === 'KafkaJSNumberOfRetriesExceeded' || error instanceof TypeError;
}
