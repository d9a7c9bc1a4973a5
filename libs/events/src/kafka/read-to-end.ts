import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@tidings/contracts/core/errors';
import type { Kafka, KafkaMessage } from 'kafkajs';
import type { KafkaAdmin } from '@tidings/kafka/admin';
import { GroupReader } from '@tidings/kafka/group-reader';

const READ_MS_MAX = 60_000;
const POLL_INTERVAL_MS = 20;
/** Short: the stop after the last record waits for the fetch behind it. */
const FETCH_WAIT_MS = 20;
/** Compaction may have removed the last offsets: no record for so long, while the cluster answers, counts as the end. */
const QUIET_MS = 2_000;

/** What reads whole topics. */
export interface TopicReader {
  readonly kafka: Kafka;
  readonly admin: KafkaAdmin;
  /** Of this process; the names of its groups have it. */
  readonly clientId: string;
}

/**
 * Calls `onMessage` with every record that a topic contains now, of each partition in order.
 * @throws ServiceError `unavailable`
 */
export async function readToEnd(
  { kafka, admin, clientId }: TopicReader,
  topic: string,
  onMessage: (message: KafkaMessage) => void,
): Promise<void> {
  const bounds = await admin.request((connected) => connected.fetchTopicOffsets(topic));
  const ends = new Map(
    bounds.filter(({ low, high }) => BigInt(low) < BigInt(high)).map(({ partition, high }) => [partition, BigInt(high)]),
  );
  if (ends.size === 0) return;
  let receivedAt = performance.now();
  const reader = new GroupReader({
    kafka,
    topic,
    groupId: `${topic}.${clientId}.reader.${randomUUID()}`,
    ephemeral: true,
    fetchWaitMs: FETCH_WAIT_MS,
    onBatch: ({ partition, messages }) => {
      receivedAt = performance.now();
      const end = ends.get(partition);
      if (end === undefined) return;
      for (const message of messages) if (BigInt(message.offset) < end) onMessage(message);
      if (BigInt(messages.at(-1)!.offset) + 1n >= end) ends.delete(partition);
    },
    onAssigned: () => (receivedAt = performance.now()),
  });
  reader.start().catch(() => undefined); // rejects when it is stopped before it joined
  try {
    for (const until = performance.now() + READ_MS_MAX; ends.size > 0; await delay(POLL_INTERVAL_MS)) {
      if (performance.now() > until) throw unavailable(`Topic ${topic} could not be read within ${READ_MS_MAX / 1000} s`);
      const quiet = reader.assigned.length > 0 && reader.interruptedForMs() === 0;
      if (quiet && performance.now() - receivedAt > QUIET_MS) return;
    }
  } finally {
    await reader.stop();
  }
}
