import { randomUUID } from 'node:crypto';
import { unavailable } from '@tidings/contracts/core/errors';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { KafkaAdmin } from '@tidings/kafka/admin';
import { GroupReader } from '@tidings/kafka/group-reader';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { bytesOf } from './records';

/** Fetched and not yet handled: above it nothing more is fetched. */
const BUFFERED_BYTES_MAX = 64 * 1024 * 1024;
/** Short: the stop after the last record waits for the fetch behind it. */
const FETCH_WAIT_MS = 20;
const CHECK_INTERVAL_MS = 100;
/** Without a record for so long the partitions are looked up: retention may have removed the rest of a range. */
const QUIET_MS = 5_000;
/** Without a record for so long, while some must be there, the read fails. */
const SILENT_MS_MAX = 60_000;

/** What reads whole topics. */
export interface TopicReader {
  readonly kafka: Kafka;
  readonly admin: KafkaAdmin;
  /** Of this process; the names of its groups have it. */
  readonly clientId: string;
}

/** Offsets of one partition: from `from` on, without `to`. */
export interface OffsetRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** Consecutive records of a partition. */
export interface RangeBatch {
  readonly partition: number;
  readonly messages: readonly KafkaMessage[];
  /** The offset after the last of them. */
  readonly next: bigint;
}

/**
 * The records of a topic within these ranges by partition, each partition in order. Fetches no more than is taken.
 * @param isCompacted of such a topic the last offsets of a range may be empty: silence is the end of it.
 * @throws ServiceError `unavailable`; the reason of the signal, if there is one.
 */
export async function* readRange(
  { kafka, admin, clientId }: TopicReader,
  topic: string,
  ranges: ReadonlyMap<number, OffsetRange>,
  { isCompacted, signal }: { isCompacted: boolean; signal?: AbortSignal },
): AsyncGenerator<RangeBatch> {
  const open = new Map([...ranges].filter(([, { from, to }]) => from < to));
  if (open.size === 0) return;
  let buffered: RangeBatch[] = [];
  let bytes = 0;
  let receivedAt = performance.now();
  let wake = () => {};
  const reader: GroupReader = new GroupReader({
    kafka,
    topic,
    groupId: `${topic}.${clientId}.reader.${randomUUID()}`,
    ephemeral: true,
    startAt: new Map([...open].map(([partition, { from }]) => [partition, from])),
    fetchWaitMs: FETCH_WAIT_MS,
    onBatch: ({ partition, messages }) => {
      receivedAt = performance.now();
      const range = open.get(partition);
      const last = messages.at(-1);
      if (!range || !last) return;
      const within = messages.filter(({ offset }) => BigInt(offset) >= range.from && BigInt(offset) < range.to);
      const next = BigInt(last.offset) + 1n;
      if (next >= range.to) {
        open.delete(partition);
        reader.pausePartition(partition);
      }
      if (within.length > 0) buffered.push({ partition, messages: within, next: BigInt(within.at(-1)!.offset) + 1n });
      bytes += within.reduce((sum, message) => sum + bytesOf(message), 0);
      reader.throttle(bytes / BUFFERED_BYTES_MAX);
      wake();
    },
    onAssigned: () => (receivedAt = performance.now()),
  });
  reader.start().catch(() => undefined); // rejects when it is stopped before it joined
  try {
    for (;;) {
      signal?.throwIfAborted();
      const batches = buffered;
      [buffered, bytes] = [[], 0];
      yield* batches;
      if (batches.length > 0) receivedAt = performance.now();
      reader.throttle(bytes / BUFFERED_BYTES_MAX);
      if (buffered.length > 0) continue;
      if (open.size === 0) return;
      await withTimeout(CHECK_INTERVAL_MS, new Promise<void>((resolve) => (wake = resolve)));
      const silentMs = performance.now() - receivedAt;
      if (buffered.length > 0 || silentMs < QUIET_MS || reader.assigned.length === 0) {
        if (silentMs > SILENT_MS_MAX) throw unavailable(`Topic ${topic} could not be read: no record came for ${SILENT_MS_MAX / 1000} s`);
        continue;
      }
      const bounds = await admin.request((connected) => connected.fetchTopicOffsets(topic));
      for (const { partition, low } of bounds) if (open.has(partition) && BigInt(low) >= open.get(partition)!.to) open.delete(partition);
      if (isCompacted && reader.interruptedForMs() === 0) return;
      if (open.size > 0 && silentMs > SILENT_MS_MAX)
        throw unavailable(`Topic ${topic} could not be read: no record came for ${SILENT_MS_MAX / 1000} s`);
    }
  } finally {
    await reader.stop();
  }
}
