import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { type Delivery, handleBatch, BatchInterrupted } from '../handle-batch';
import type { Subscription } from '../event-log';
import { drain } from '../drain';
import { retryDelayMs } from '../retry-delay';
import type { KafkaAdmin } from './admin';
import { GroupProgress } from './group-progress';
import { type FetchedBatch, GroupReader } from './group-reader';
import { PartitionProgress } from './partition-progress';
import { OffsetCommitter } from './offset-committer';
import { toRecord } from './records';
import { PrefetchBuffer, type BufferedMessage } from './prefetch-buffer';
import { withTimeout } from '../with-timeout';

/** A group that others are leaving or joining is entered within seconds. */
const JOIN_MS_MAX = 30_000;
/** How long a stop waits for the last commit. */
const COMMIT_MS_MAX = 3_000;
const RETRY_DELAY_MS_MAX = 2_000;

const logger = new Logger('EventLog');

interface ConsumptionOptions<Payload extends object> extends Omit<Delivery<Payload>, 'onHandled' | 'stopping' | 'left'> {
  kafka: Kafka;
  admin: KafkaAdmin;
  /** With its prefix. */
  topic: string;
  groupId: string;
  maxBatch: number;
  /** As `GroupReaderOptions` has it. */
  fetchWaitMs?: number;
}

/** What a handler has in its hands. */
interface InHand {
  places: ReadonlySet<PartitionProgress>;
  left: AbortController;
}

/**
 * A member of a group: what it fetches of its partitions waits in a stock, of which one batch at a time is handed over. After a
 * rebalance it goes on where it was in partitions that nobody else has advanced, and drops everything else.
 */
export class Consumption<Payload extends object> implements Subscription {
  private readonly stock = new PrefetchBuffer();
  private readonly places = new Map<number, PartitionProgress>();
  private readonly progress: GroupProgress;
  private readonly reader: GroupReader;
  private readonly keeper: OffsetCommitter;
  private readonly stopping = new AbortController();
  private readonly abandoned = new AbortController();
  private working: Promise<void> = Promise.resolve();
  private inHand?: InHand;
  private paused = false;
  private stopped?: Promise<void>;

  private constructor(private readonly options: ConsumptionOptions<Payload>) {
    const { kafka, admin, topic, groupId, fetchWaitMs } = options;
    this.progress = new GroupProgress(admin, topic, groupId);
    this.reader = new GroupReader({
      kafka,
      topic,
      groupId,
      fetchWaitMs,
      from: 'earliest',
      onBatch: (batch) => this.take(batch),
      onAssigned: (partitions) => this.release(partitions),
      place: (partitions, generation) => this.settle(partitions, generation),
      onRebalancing: () => void this.keeper.flush(),
    });
    this.keeper = new OffsetCommitter(this.reader, this.places, groupId);
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
    return this.progress.hasHandledUpTo(time, (partition) => this.places.get(partition)?.handled ?? -1n);
  }

  hasHandledAll(): Promise<boolean> {
    return this.progress.hasHandledAll((partition) => this.places.get(partition)?.handled ?? -1n);
  }

  stop(): Promise<void> {
    this.stopped ??= this.finish();
    return this.stopped;
  }

  private async finish(): Promise<void> {
    this.stopping.abort();
    await drain(this.options.groupId, this.working, this.abandoned);
    await withTimeout(COMMIT_MS_MAX, this.keeper.flush());
    await this.reader.stop();
  }

  private async work(): Promise<void> {
    const { stock, stopping } = this;
    for (let failures = 0; !stopping.signal.aborted;) {
      const items = stock.take(this.options.maxBatch);
      this.holdOrGoOn();
      if (items.length === 0) {
        await stock.filled(stopping.signal);
        continue;
      }
      try {
        await this.handle(items);
        failures = 0;
      } catch (error) {
        failures += 1;
        logger.error(`${this.options.groupId}: handling failed and begins anew: ${reasonOf(error)}`);
        await delay(retryDelayMs(failures, RETRY_DELAY_MS_MAX), undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  private async handle(items: readonly BufferedMessage[]): Promise<void> {
    const left = new AbortController();
    const batch = items.map(({ place, message }) => toRecord<Payload>(place.partition, message));
    let next = 0;
    this.inHand = { places: new Set(items.map(({ place }) => place)), left };
    try {
      await handleBatch(batch, {
        ...this.options,
        stopping: this.stopping.signal,
        left: AbortSignal.any([left.signal, this.abandoned.signal]),
        onHandled: (record) => {
          for (let done = false; !done; next++) {
            const { place, message } = items[next]!;
            place.handled = BigInt(message.offset) + 1n;
            done = batch[next]!.record === record;
          }
          this.keeper.note();
        },
      });
    } catch (error) {
      this.stock.putBack(items.slice(next));
      if (!(error instanceof BatchInterrupted)) throw error;
    } finally {
      this.inHand = undefined;
    }
  }

  private take({ partition, messages }: FetchedBatch): void {
    const place = this.places.get(partition);
    if (!place) return;
    place.fetched = BigInt(messages.at(-1)!.offset) + 1n;
    this.progress.saw(Number(messages.at(-1)!.timestamp));
    this.stock.add(messages.map((message) => ({ place, message })));
    this.holdOrGoOn();
  }

  /** At once after a rebalance: what was taken from this member is not handled any further. */
  private release(partitions: readonly number[]): void {
    for (const place of this.places.values()) if (!partitions.includes(place.partition)) this.drop(place);
  }

  /** Where to go on in each partition. */
  private async settle(partitions: readonly number[], generation: number): Promise<Map<number, bigint>> {
    const beginnings = await this.progress.beginnings();
    if (generation !== this.reader.generation) return new Map();
    for (const partition of partitions) {
      const { offset, committed } = beginnings.get(partition) ?? { offset: 0n };
      const place = this.places.get(partition);
      if (place && offset <= place.handled) {
        // Whoever had it meanwhile came no further than this member.
        place.committed = committed;
        continue;
      }
      if (place) this.drop(place);
      this.places.set(partition, new PartitionProgress(partition, offset, committed));
    }
    this.paused = false;
    this.reader.resume(partitions);
    this.holdOrGoOn();
    this.keeper.note();
    return new Map([...this.places.values()].map(({ partition, fetched }) => [partition, fetched]));
  }

  private drop(place: PartitionProgress): void {
    place.revoked = true;
    this.places.delete(place.partition);
    if (this.inHand?.places.has(place)) this.inHand.left.abort();
  }

  private holdOrGoOn(): void {
    const { stock, reader } = this;
    if (this.paused ? !stock.low : !stock.full) return;
    this.paused = !this.paused;
    if (this.paused) reader.pause(reader.assigned);
    else reader.resume(reader.assigned);
  }
}
