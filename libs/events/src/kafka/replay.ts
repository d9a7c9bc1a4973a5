import { setTimeout as delay } from 'node:timers/promises';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import type { KafkaAdmin } from '@tidings/kafka/admin';
import { reasonOf } from '@tidings/persistence/errors';
import { ConfigResourceTypes, type KafkaMessage } from 'kafkajs';
import { EntriesRejected } from '../append-attempt';
import { type OffsetRange, readRange, type TopicReader } from './read-range';
import { RecordProducer } from './record-producer';
import { bytesOf } from './records';

/** Records of one produce, and their bytes; a larger record forms a produce of its own. */
const PRODUCE_RECORDS_MAX = 500;
const PRODUCE_BYTES_MAX = 1024 * 1024;
/** How long one attempt waits for its answer, and how long a produce is repeated, in ms. */
const ATTEMPT_MS = 10_000;
const PRODUCE_MS_MAX = 120_000;
const RETRY_DELAY_MS_MAX = 2_000;

/** How far a replay is in a partition. */
export interface ReplayedPartition {
  readonly partition: number;
  /** The offset after the last record that is settled: copied, or left out. */
  readonly next: bigint;
  readonly copied: number;
  readonly leftOut: number;
}

export interface ReplayOptions {
  /** Source and target, as the cluster names them. */
  readonly topic: string;
  readonly into: string;
  readonly ranges: ReadonlyMap<number, OffsetRange>;
  /** Whether a record is copied; the others are left out. */
  accepts(message: KafkaMessage): boolean;
  /** Called when the target has the records. */
  onCopied(progress: ReplayedPartition): void;
  readonly signal: AbortSignal;
}

/**
 * The offsets of a topic's records from one time on, up to another: of those that are there now, without it.
 * @throws ServiceError `unavailable`
 */
export async function rangesBetween(admin: KafkaAdmin, topic: string, fromMs: number, toMs?: number): Promise<Map<number, OffsetRange>> {
  const ends = await admin.request((connected) =>
    toMs === undefined ? connected.fetchTopicOffsets(topic) : connected.fetchTopicOffsetsByTimestamp(topic, toMs),
  );
  const starts = await admin.request((connected) => connected.fetchTopicOffsetsByTimestamp(topic, fromMs));
  const endOf = new Map(ends.map(({ partition, offset }) => [partition, BigInt(offset)]));
  return new Map(starts.map(({ partition, offset }) => [partition, { from: BigInt(offset), to: endOf.get(partition) ?? BigInt(offset) }]));
}

/**
 * Copies records into another topic, their keys, values and headers byte for byte. A key has the order of its source, since it stays in one
 * partition of the target. At least once: after an unknown outcome, or in a further run, records are copied again.
 * @throws ServiceError `unavailable`, `payload_too_large`; the reason of the signal.
 */
export async function replayInto(reader: TopicReader, { topic, into, ranges, accepts, onCopied, signal }: ReplayOptions): Promise<void> {
  const isCompacted = await isCompactedTopic(reader.admin, topic);
  const producer = new RecordProducer(reader.kafka);
  try {
    for await (const { partition, messages } of readRange(reader, topic, ranges, { isCompacted, signal })) {
      for (const chunk of chunksOf(messages)) {
        const accepted = chunk.filter(accepts);
        await produce(producer, into, accepted, signal);
        const next = BigInt(chunk.at(-1)!.offset) + 1n;
        onCopied({ partition, next, copied: accepted.length, leftOut: chunk.length - accepted.length });
      }
    }
  } finally {
    await producer.close();
  }
}

async function isCompactedTopic(admin: KafkaAdmin, topic: string) {
  const { resources } = await admin.request((connected) =>
    connected.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['cleanup.policy'] }],
    }),
  );
  return resources.some(({ configEntries }) => configEntries.some(({ configValue }) => configValue?.includes('compact')));
}

/** Parts of at most so many records and bytes, in order. */
function* chunksOf(messages: readonly KafkaMessage[]) {
  let chunk: KafkaMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = bytesOf(message);
    if (chunk.length > 0 && (chunk.length >= PRODUCE_RECORDS_MAX || bytes + size > PRODUCE_BYTES_MAX)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(message);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** Repeats a produce until it succeeded: the later records of a partition wait for it. */
async function produce(producer: RecordProducer, topic: string, messages: readonly KafkaMessage[], signal: AbortSignal) {
  if (messages.length === 0) return;
  const records = messages.map(({ key, value, headers, timestamp }) => ({ topic, message: { key, value, headers, timestamp } }));
  const until = performance.now() + PRODUCE_MS_MAX;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await producer.append(records, { timeoutMs: ATTEMPT_MS, again: attempt > 1 });
    } catch (error) {
      if (error instanceof EntriesRejected) throw error.error;
      if (performance.now() > until) throw new Error(`Topic ${topic} accepts no records: ${reasonOf(error)}`, { cause: error });
      await delay(retryDelayMs(attempt, RETRY_DELAY_MS_MAX), undefined, { signal });
    }
  }
}
