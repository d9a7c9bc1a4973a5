import { Logger } from '@nestjs/common';
import { waitForRetry } from '@tidings/contracts/core/retry-delay';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { KafkaAdmin } from '@tidings/kafka/admin';
import { type FetchedBatch, GroupReader, type GroupReaderOptions } from '@tidings/kafka/group-reader';
import { ProgressCommitter } from '@tidings/kafka/progress-committer';
import { reasonOf } from '@tidings/persistence/errors';
import type { GroupSource, ReadRecord, SourceBatch } from '../consumption';
import { isTransientError } from '../transient';
import { GroupProgress } from './group-progress';
import { type BufferedMessage, isDue, type PartitionProgress, PrefetchBuffer, type UnknownKey } from './prefetch-buffer';
import { toRecord, toUnauthenticated } from './records';
import type { SignedEvents } from './signed-events';
import { startOf } from './start-offset';
import type { FoundPosition, StoredPositions } from './stored-positions';

const COMMIT_INTERVAL_MS = 200;
/** How long a stop waits for the last commit. */
const COMMIT_MS_MAX = 3_000;
/** How often a member asks whether its positions are as it left them, and where a partition waits for a key, whether it may go past the record. */
const CHECK_INTERVAL_MS = 5_000;
/** Longest pause before a claim of positions is repeated while the database is unavailable. */
const CLAIM_DELAY_MS_MAX = 2_000;

const logger = new Logger('Kafka');

interface KafkaGroupSourceOptions extends Pick<GroupReaderOptions, 'kafka' | 'topic' | 'groupId' | 'fetchWaitMs'> {
  admin: KafkaAdmin;
  maxBatch: number;
  signed: SignedEvents;
  /** The topic without its prefix. */
  name: string;
  /** Until when records of the topic with unknown keys were appended that need not be waited for, ms since the epoch. */
  skipsUntil(): Promise<number>;
  /** Of the group, beside its effects. Default: the committed offsets alone. */
  positions?: StoredPositions;
}

/**
 * Prefetches records of a member's partitions. After a rebalance the member continues in partitions that no other one has advanced,
 * and whose stored position is as it left it; it drops the buffered records of all others.
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
  private readonly checks = setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
  private readonly left = new AbortController();

  private constructor(private readonly options: KafkaGroupSourceOptions) {}

  /** Resolves when the member has joined its group. @throws ServiceError `unavailable` */
  static async join(options: KafkaGroupSourceOptions): Promise<KafkaGroupSource> {
    const source = new KafkaGroupSource(options);
    await source.reader.startInTime();
    return source;
  }

  /** The partitions of this member that wait, because a record is signed with an unknown key. */
  waiting(): readonly WaitingPartition[] {
    const { topic, name } = this.options;
    return [...this.partitions.values()].flatMap(({ partition, waitsAt }) => (waitsAt ? [{ ...waitsAt, topic, name, partition }] : []));
  }

  hasHandledUpTo(time: number) {
    return this.group.hasHandledUpTo(time, this.handledHere);
  }

  lag() {
    return this.group.lag();
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
              progress.seenAt = Math.max(progress.seenAt ?? 0, Number(message.timestamp));
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
    clearInterval(this.checks);
    this.left.abort();
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
    const found = await this.claim(assigned);
    const [inKafka, newer] = await Promise.all([this.group.partitions(), this.firstNewer(found)]);
    if (generation !== this.reader.generation) return new Map();
    for (const partition of assigned) {
      const { low = 0n, high = 0n, committed } = inKafka.get(partition) ?? {};
      const position = found?.get(partition);
      const firstNewer = position?.seenAt === undefined ? undefined : newer?.get(partition);
      const { offset, isOtherTopic, warning } = startOf({ low, high, committed, stored: position?.next, firstNewer });
      const progress = this.partitions.get(partition);
      if (progress && offset <= progress.handled && !isOtherTopic && (!position || position.isOwn)) {
        // No other member got further than this one meanwhile.
        progress.committed = committed;
        continue;
      }
      if (progress) this.drop(progress);
      if (warning) logger.warn(`${this.name}, partition ${partition}: ${warning}`);
      const { seenAt } = position ?? {};
      this.partitions.set(partition, { partition, fetched: offset, handled: offset, committed, seenAt, revoked: false });
    }
    this.options.positions?.begin();
    this.reader.throttle(this.buffer.load);
    this.committer.schedule();
    return new Map([...this.partitions.values()].map(({ partition, fetched }) => [partition, fetched]));
  }

  /** Claims the positions of an assignment; while the database is unavailable nothing is fetched. */
  private async claim(assigned: readonly number[]): Promise<Map<number, FoundPosition> | undefined> {
    const { positions } = this.options;
    if (!positions) return undefined;
    const { generation } = this.reader;
    for (let attempt = 1; ; attempt++) {
      try {
        return await positions.claim(assigned);
      } catch (error) {
        if (!isTransientError(error) || this.left.signal.aborted || generation !== this.reader.generation) throw error;
        this.reader.throttle(1);
        await waitForRetry(attempt, CLAIM_DELAY_MS_MAX, this.left.signal);
      }
    }
  }

  /** In each partition, the first record that is newer than all that the group has handled in its partitions of this member. */
  private async firstNewer(found: ReadonlyMap<number, FoundPosition> | undefined) {
    const times = [...(found?.values() ?? [])].flatMap(({ seenAt }) => seenAt ?? []);
    return times.length === 0 ? undefined : this.group.firstNewer(Math.max(...times));
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
      if (fault) signed.noteRefused(topic, fault, `partition ${progress.partition}, offset ${message.offset}`);
      items.push(item);
      records.push(fault ? toUnauthenticated(progress.partition, message, fault.reason) : toRecord(progress.partition, message));
    }
    return { items, records };
  }

  private wait(progress: PartitionProgress, unknown: UnknownKey) {
    progress.waitsAt = unknown;
    progress.fetched = unknown.offset;
    this.reader.pausePartition(progress.partition);
    const { topic, name } = this.options;
    logger.error(waitingLine({ ...unknown, topic, name, partition: progress.partition }));
  }

  private async check() {
    await this.endWaiting();
    this.committer.schedule();
    try {
      this.startAgainIn((await this.options.positions?.lost()) ?? []);
    } catch (error) {
      logger.debug(`${this.name}: checking the positions failed: ${reasonOf(error)}`);
    }
  }

  /** The positions of these partitions are not as this member left them: the database went back, or another member has them. */
  private startAgainIn(lost: readonly number[]) {
    if (lost.length === 0) return;
    for (const partition of lost) {
      const progress = this.partitions.get(partition);
      if (progress) this.drop(progress);
    }
    this.reader.rejoin(new Error(`the stored positions of the partitions ${lost.join(', ')} are not as this process left them`));
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
    const { positions } = this.options;
    const current = [...this.partitions.values()].map((progress) => ({ ...progress, progress }));
    if (positions) {
      const lost = await positions.move(current);
      if (lost.length > 0) return this.startAgainIn(lost);
    }
    const changed = current.filter(({ partition, handled, committed, progress }) => {
      return handled !== committed && !progress.revoked && (positions?.holds(partition) ?? true);
    });
    if (changed.length === 0) return;
    await this.reader.commit(new Map(changed.map(({ partition, handled }) => [partition, handled])));
    for (const { progress, handled } of changed) progress.committed = handled;
  }
}

/** A partition that waits at a record with an unknown key. */
export interface WaitingPartition extends UnknownKey {
  topic: string;
  /** The topic without its prefix. */
  name: string;
  partition: number;
}

/** What an operator has to know of a partition that waits. */
export function waitingLine({ topic, name, partition, offset, keyId }: WaitingPartition): string {
  return (
    `Partition ${partition} of ${topic} waits at offset ${offset}: the record is signed with the key ${keyId}, ` +
    `whose secret is not in TIDINGS_RPC_SECRET. Add the secret, or go past it with "tidings events skip-unverified ${name}"`
  );
}
