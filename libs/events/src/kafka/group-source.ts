import { Logger } from '@nestjs/common';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { KafkaAdmin } from '@tidings/kafka/admin';
import { type FetchedBatch, GroupReader, type GroupReaderOptions } from '@tidings/kafka/group-reader';
import { ProgressCommitter } from '@tidings/kafka/progress-committer';
import { reasonOf } from '@tidings/persistence/errors';
import type { GroupSource, SourceBatch } from '../consumption';
import { GroupProgress } from './group-progress';
import { type BufferedMessage, isDue, type PartitionProgress, PrefetchBuffer, type UnknownKey } from './prefetch-buffer';
import type { ReadRecord } from '../consumption';
import { toRecord, toUnauthenticated } from './records';
import type { SignedEvents } from './signed-events';

const COMMIT_INTERVAL_MS = 200;
/** How long a stop waits for the last commit. */
const COMMIT_MS_MAX = 3_000;
/** How often a member whose partition waits for a key asks whether it may go past the record. */
const WAITING_CHECK_INTERVAL_MS = 5_000;

const logger = new Logger('Kafka');

interface KafkaGroupSourceOptions extends Pick<GroupReaderOptions, 'kafka' | 'topic' | 'groupId' | 'fetchWaitMs'> {
  admin: KafkaAdmin;
  maxBatch: number;
  signed: SignedEvents;
  /** Until when records of the topic with unknown keys were appended that need not be waited for, ms since the epoch. */
  skipsUntil(): Promise<number>;
}

/**
 * Prefetches records of a member's partitions. After a rebalance the member continues in partitions that no other one has advanced,
 * and drops the buffered records of all others.
 */
export class KafkaGroupSource implements GroupSource {
  readonly name = this.options.groupId;
  private readonly buffer = new PrefetchBuffer();
  private readonly partitions = new Map<number, PartitionProgress>();
  private readonly group = new GroupProgress(this.options.admin, this.options.topic, this.name);
  private readonly reader = new GroupReader({
    ...this.options,
    onBatch: (batch) => this.onFetched(batch),
    startOffsets: (partitions) => this.startOffsets(partitions),
    onRebalancing: () => void this.committer.flush(),
  });
  private readonly committer = new ProgressCommitter(
    COMMIT_INTERVAL_MS,
    () => this.commit(),
    (error) => logger.debug(`${this.name}: committing offsets failed: ${reasonOf(error)}`),
  );
  /** The partitions of the batch that is being handled. */
  private current?: { partitions: ReadonlySet<PartitionProgress>; revoked: AbortController };

  private skippedUntil = -Infinity;
  private readonly waitingChecks = setInterval(() => void this.endWaiting(), WAITING_CHECK_INTERVAL_MS).unref();

  private constructor(private readonly options: KafkaGroupSourceOptions) {}

  /** Resolves when the member has joined its group. @throws ServiceError `unavailable` */
  static async join(options: KafkaGroupSourceOptions): Promise<KafkaGroupSource> {
    const source = new KafkaGroupSource(options);
    await source.reader.startInTime();
    return source;
  }

  /** The partitions of this member that wait, because a record is signed with an unknown key. */
  waiting(): readonly (UnknownKey & { topic: string; partition: number })[] {
    const { topic } = this.options;
    return [...this.partitions.values()].flatMap(({ partition, waitsAt }) => (waitsAt ? [{ ...waitsAt, topic, partition }] : []));
  }

  hasHandledUpTo(time: number) {
    return this.group.hasHandledUpTo(time, this.handledHere);
  }

  async *batches(stopping: AbortSignal, abandoned: AbortSignal): AsyncGenerator<SourceBatch> {
    abandoned.addEventListener('abort', this.revokeCurrent);
    while (!stopping.aborted) {
      const fetched = this.buffer.next(this.options.maxBatch);
      this.reader.throttle(this.buffer.load);
      const { items, records } = this.authenticated(fetched);
      if (items.length === 0) {
        await this.buffer.filled(stopping);
        continue;
      }
      const revoked = new AbortController();
      let next = 0;
      this.current = { partitions: new Set(items.map(({ progress }) => progress)), revoked };
      try {
        yield {
          records,
          revoked: revoked.signal,
          onHandled: (record) => {
            for (let done = false; !done; next++) {
              const { progress, message } = items[next]!;
              progress.handled = BigInt(message.offset) + 1n;
              done = records[next]!.record === record;
            }
            this.committer.schedule();
          },
        };
      } finally {
        this.buffer.putBack(items.slice(next));
        this.current = undefined;
      }
    }
  }

  async leave() {
    clearInterval(this.waitingChecks);
    await withTimeout(COMMIT_MS_MAX, this.committer.flush());
    await this.reader.stop();
  }

  private readonly revokeCurrent = () => this.current?.revoked.abort();

  /** The next offset after what this member has handled of a partition. */
  private readonly handledHere = (partition: number) => this.partitions.get(partition)?.handled ?? -1n;

  private onFetched({ partition, messages }: FetchedBatch) {
    const progress = this.partitions.get(partition);
    if (!progress || progress.waitsAt) return;
    const last = messages.at(-1)!;
    progress.fetched = BigInt(last.offset) + 1n;
    this.group.noteTimestamp(Number(last.timestamp));
    this.buffer.add(messages.map((message) => ({ progress, message })));
    this.reader.throttle(this.buffer.load);
  }

  /** Where to continue in each partition. Right after a rebalance: first stops handling records of partitions this member lost. */
  private async startOffsets(assigned: readonly number[]): Promise<Map<number, bigint>> {
    for (const progress of this.partitions.values()) if (!assigned.includes(progress.partition)) this.drop(progress);
    const { generation } = this.reader;
    const offsets = await this.group.startOffsets();
    if (generation !== this.reader.generation) return new Map();
    for (const partition of assigned) {
      const { offset, committed } = offsets.get(partition) ?? { offset: 0n };
      const progress = this.partitions.get(partition);
      if (progress && offset <= progress.handled) {
        // No other member got further than this one meanwhile.
        progress.committed = committed;
        continue;
      }
      if (progress) this.drop(progress);
      this.partitions.set(partition, { partition, fetched: offset, handled: offset, committed, revoked: false });
    }
    this.committer.schedule();
    return new Map([...this.partitions.values()].map(({ partition, fetched }) => [partition, fetched]));
  }

  /** What may be handled. A partition waits at a record with an unknown key, which may be an earlier secret of ours. */
  private authenticated(fetched: readonly BufferedMessage[]) {
    const { signed, topic } = this.options;
    const items: BufferedMessage[] = [];
    const records: ReadRecord[] = [];
    for (const item of fetched) {
      const { progress, message } = item;
      if (!isDue(item)) continue;
      const fault = signed.faultOf(topic, message);
      if (fault?.keyId !== undefined && Number(message.timestamp) > this.skippedUntil) {
        this.wait(progress, { offset: BigInt(message.offset), appendedAt: Number(message.timestamp), keyId: fault.keyId });
        continue;
      }
      if (fault) signed.noteRefused(topic, fault);
      items.push(item);
      records.push(fault ? toUnauthenticated(progress.partition, message, fault.reason) : toRecord(progress.partition, message));
    }
    return { items, records };
  }

  private wait(progress: PartitionProgress, unknown: UnknownKey) {
    progress.waitsAt = unknown;
    progress.fetched = unknown.offset;
    this.reader.pausePartition(progress.partition);
    logger.error(waitingLine({ ...unknown, topic: this.options.topic, partition: progress.partition }));
  }

  private async endWaiting() {
    if (this.waiting().length === 0) return;
    try {
      this.skippedUntil = Math.max(this.skippedUntil, await this.options.skipsUntil());
    } catch (error) {
      logger.debug(`${this.name}: reading the skips failed: ${reasonOf(error)}`);
    }
    for (const progress of this.partitions.values()) {
      const { waitsAt, partition } = progress;
      if (!waitsAt || waitsAt.appendedAt > this.skippedUntil) continue;
      progress.waitsAt = undefined;
      this.reader.resumePartition(partition, waitsAt.offset);
    }
  }

  private drop(progress: PartitionProgress) {
    progress.revoked = true;
    this.reader.resumePartition(progress.partition);
    this.partitions.delete(progress.partition);
    if (this.current?.partitions.has(progress)) this.revokeCurrent();
  }

  private async commit(): Promise<void> {
    const changed = [...this.partitions.values()].filter(({ handled, committed }) => handled !== committed);
    if (changed.length === 0) return;
    const offsets = new Map(changed.map(({ partition, handled }) => [partition, handled]));
    await this.reader.commit(offsets);
    for (const progress of changed) progress.committed = offsets.get(progress.partition);
  }
}

/** What an operator has to know of a partition that waits. */
export function waitingLine({ topic, partition, offset, keyId }: UnknownKey & { topic: string; partition: number }): string {
  return (
    `Partition ${partition} of ${topic} waits at offset ${offset}: the record is signed with the key ${keyId}, ` +
    'whose secret is not in TIDINGS_RPC_SECRET. Add the secret, or go past it with "tidings events skip-unverified"'
  );
}
