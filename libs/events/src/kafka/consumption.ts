import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { type BatchHandling, handleBatch, BatchInterrupted } from '../handle-batch';
import type { Subscription } from '../event-log';
import { drain } from '../drain';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import type { KafkaAdmin } from '@tidings/kafka/admin';
import { GroupProgress } from './group-progress';
import { type FetchedBatch, GroupReader } from '@tidings/kafka/group-reader';
import { PartitionProgress } from './partition-progress';
import { OffsetCommitter } from './offset-committer';
import { toRecord } from './records';
import { PrefetchBuffer, type BufferedMessage } from './prefetch-buffer';
import { withTimeout } from '@tidings/contracts/core/with-timeout';

/** Joining a group takes seconds while others leave or join it. */
const JOIN_MS_MAX = 30_000;
/** How long a stop waits for the last commit. */
const COMMIT_MS_MAX = 3_000;
const RETRY_DELAY_MS_MAX = 2_000;

const logger = new Logger('EventLog');

interface ConsumptionOptions<Payload extends object> extends Omit<BatchHandling<Payload>, 'onHandled' | 'stopping' | 'revoked'> {
  kafka: Kafka;
  admin: KafkaAdmin;
  /** With its prefix. */
  topic: string;
  groupId: string;
  maxBatch: number;
  /** See `GroupReaderOptions`. */
  fetchWaitMs?: number;
}

/** The batch that is being handled. */
interface CurrentBatch {
  partitions: ReadonlySet<PartitionProgress>;
  revoked: AbortController;
}

/**
 * A member of a group: prefetches records of its partitions and handles one batch at a time. After a rebalance it continues in
 * partitions that no other member has advanced, and drops the buffered records of all others.
 */
export class Consumption<Payload extends object> implements Subscription {
  private readonly buffer = new PrefetchBuffer();
  private readonly partitions = new Map<number, PartitionProgress>();
  private readonly group: GroupProgress;
  private readonly reader: GroupReader;
  private readonly committer: OffsetCommitter;
  private readonly stopping = new AbortController();
  private readonly abandoned = new AbortController();
  private working: Promise<void> = Promise.resolve();
  private current?: CurrentBatch;
  private paused = false;
  private stopped?: Promise<void>;

  private constructor(private readonly options: ConsumptionOptions<Payload>) {
    const { kafka, admin, topic, groupId, fetchWaitMs } = options;
    this.group = new GroupProgress(admin, topic, groupId);
    this.reader = new GroupReader({
      kafka,
      topic,
      groupId,
      fetchWaitMs,
      from: 'earliest',
      onBatch: (batch) => this.onFetched(batch),
      onAssigned: (partitions) => this.dropAllBut(partitions),
      startOffsets: (partitions, generation) => this.startOffsets(partitions, generation),
      onRebalancing: () => void this.committer.flush(),
    });
    this.committer = new OffsetCommitter(this.reader, this.partitions, groupId);
  }

  /** Resolves when the member has joined its group. @throws ServiceError `unavailable` */
  static async start<Payload extends object>(options: ConsumptionOptions<Payload>): Promise<Consumption<Payload>> {
    const consumption = new Consumption(options);
    if (!(await withTimeout(JOIN_MS_MAX, consumption.reader.start()))) {
      await consumption.stop();
      throw unavailable(`Group ${options.groupId} could not be joined within ${JOIN_MS_MAX / 1000} s`);
    }
    consumption.working = consumption.work();
    return consumption;
  }

  hasHandledUpTo(time: number): Promise<boolean> {
    return this.group.hasHandledUpTo(time, (partition) => this.partitions.get(partition)?.handled ?? -1n);
  }

  hasHandledAll(): Promise<boolean> {
    return this.group.hasHandledAll((partition) => this.partitions.get(partition)?.handled ?? -1n);
  }

  stop(): Promise<void> {
    this.stopped ??= this.finish();
    return this.stopped;
  }

  private async finish(): Promise<void> {
    this.stopping.abort();
    await drain(this.options.groupId, this.working, this.abandoned);
    await withTimeout(COMMIT_MS_MAX, this.committer.flush());
    await this.reader.stop();
  }

  private async work(): Promise<void> {
    const { buffer, stopping } = this;
    for (let failures = 0; !stopping.signal.aborted;) {
      const items = buffer.next(this.options.maxBatch);
      this.pauseOrResume();
      if (items.length === 0) {
        await buffer.filled(stopping.signal);
        continue;
      }
      try {
        await this.handle(items);
        failures = 0;
      } catch (error) {
        failures += 1;
        logger.error(`${this.options.groupId}: handling failed; retrying: ${reasonOf(error)}`);
        await delay(retryDelayMs(failures, RETRY_DELAY_MS_MAX), undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  private async handle(items: readonly BufferedMessage[]): Promise<void> {
    const revoked = new AbortController();
    const batch = items.map(({ progress, message }) => toRecord<Payload>(progress.partition, message));
    let next = 0;
    this.current = { partitions: new Set(items.map(({ progress }) => progress)), revoked };
    try {
      await handleBatch(batch, {
        ...this.options,
        stopping: this.stopping.signal,
        revoked: AbortSignal.any([revoked.signal, this.abandoned.signal]),
        onHandled: (record) => {
          for (let done = false; !done; next++) {
            const { progress, message } = items[next]!;
            progress.handled = BigInt(message.offset) + 1n;
            done = batch[next]!.record === record;
          }
          this.committer.schedule();
        },
      });
    } catch (error) {
      this.buffer.putBack(items.slice(next));
      if (!(error instanceof BatchInterrupted)) throw error;
    } finally {
      this.current = undefined;
    }
  }

  private onFetched({ partition, messages }: FetchedBatch): void {
    const progress = this.partitions.get(partition);
    if (!progress) return;
    progress.fetched = BigInt(messages.at(-1)!.offset) + 1n;
    this.group.noteTimestamp(Number(messages.at(-1)!.timestamp));
    this.buffer.add(messages.map((message) => ({ progress, message })));
    this.pauseOrResume();
  }

  /** Right after a rebalance: stops handling records of partitions this member lost. */
  private dropAllBut(assigned: readonly number[]): void {
    for (const progress of this.partitions.values()) if (!assigned.includes(progress.partition)) this.drop(progress);
  }

  /** Where to continue in each partition. */
  private async startOffsets(assigned: readonly number[], generation: number): Promise<Map<number, bigint>> {
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
      this.partitions.set(partition, new PartitionProgress(partition, offset, committed));
    }
    this.paused = false;
    this.reader.resume(assigned);
    this.pauseOrResume();
    this.committer.schedule();
    return new Map([...this.partitions.values()].map(({ partition, fetched }) => [partition, fetched]));
  }

  private drop(progress: PartitionProgress): void {
    progress.revoked = true;
    this.partitions.delete(progress.partition);
    if (this.current?.partitions.has(progress)) this.current.revoked.abort();
  }

  private pauseOrResume(): void {
    const { buffer, reader } = this;
    if (this.paused ? !buffer.low : !buffer.full) return;
    this.paused = !this.paused;
    if (this.paused) reader.pause(reader.assigned);
    else reader.resume(reader.assigned);
  }
}
