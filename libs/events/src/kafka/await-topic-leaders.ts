import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicMetadata, KafkaJSError } from 'kafkajs';

/** New topics may take a moment to be known to every broker, and their partitions to have leaders. */
const LED_MS_MAX = 5_000;
const LOOK_MS = 50;

/**
 * What the cluster says of its topics, once it knows them all and each partition has a leader; what it says then, if that takes
 * longer than 5 s and a look. Throws what kafkajs throws when it cannot be asked.
 */
export async function awaitTopicLeaders(admin: Admin, names: readonly string[]): Promise<ITopicMetadata[]> {
  const until = performance.now() + LED_MS_MAX;
  for (;;) {
    const isOver = performance.now() >= until;
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
      const led = topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0));
      if (led || isOver) return topics;
    } catch (error) {
      if (isOver || !mayPass(error as KafkaJSError)) throw error;
    }
    await delay(LOOK_MS);
  }
}

/** kafkajs also ends with an error of its own when it has asked a few times, and with a `TypeError` when no broker answered. */
function mayPass(error: KafkaJSError): boolean {
  return error.retriable || error.name === 'KafkaJSNumberOfRetriesExceeded' || error instanceof TypeError;
}
