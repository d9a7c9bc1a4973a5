import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicMetadata, KafkaJSError } from 'kafkajs';

/** New topics may take a moment to be known to every broker, and their partitions to have leaders. */
const LOOKS_MAX = 100;
const LOOK_MS = 50;

/**
 * What the cluster says of its topics, once it knows them all and each partition has a leader; what it says then, if that takes
 * longer than 5 s. Throws what kafkajs throws when it cannot be asked.
 */
export async function ledTopics(admin: Admin, names: readonly string[]): Promise<ITopicMetadata[]> {
  for (let look = 1; ; look++) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
      const led = topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0));
      if (led || look >= LOOKS_MAX) return topics;
    } catch (error) {
      if (look >= LOOKS_MAX || !(error as KafkaJSError).retriable) throw error;
    }
    await delay(LOOK_MS);
  }
}
