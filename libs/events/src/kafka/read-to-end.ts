import type { KafkaMessage } from 'kafkajs';
import { readRange, type TopicReader } from './read-range';

/** What `readToEnd` passes a record to. `enough` ends it. */
type OnMessage = (message: KafkaMessage, partition: number) => void | 'enough';

/**
 * Calls `onMessage` with every record that a topic contains now, of each partition in order. Resolves with the offset behind the last one of
 * each partition.
 * @param startAt the first offset of partitions that are not read from their beginning.
 * @throws ServiceError `unavailable`
 */
export async function readToEnd(
  reader: TopicReader,
  topic: string,
  onMessage: OnMessage,
  startAt: ReadonlyMap<number, bigint> = new Map(),
): Promise<ReadonlyMap<number, bigint>> {
  const bounds = await reader.admin.request((connected) => connected.fetchTopicOffsets(topic));
  const ends = new Map(bounds.map(({ partition, high }) => [partition, BigInt(high)]));
  const ranges = bounds.map(({ partition, low, high }) => {
    const first = startAt.get(partition) ?? 0n;
    return [partition, { from: first > BigInt(low) ? first : BigInt(low), to: BigInt(high) }] as const;
  });
  for await (const { partition, messages } of readRange(reader, topic, new Map(ranges), { isCompacted: true })) {
    for (const message of messages) if (onMessage(message, partition) === 'enough') return ends;
  }
  return ends;
}
