import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { type Consumer, type Kafka, type KafkaMessage, PartitionAssigners } from 'kafkajs';
import { pinnedAssigner } from './pinned-assigner';
import { ConsumerLiveness } from './consumer-liveness';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { withTimeout } from '@tidings/contracts/core/with-timeout';

/** A killed member blocks its partitions for this long. */
const SESSION_TIMEOUT_MS = 6_000;
const HEARTBEAT_INTERVAL_MS = 1_500;
/** Members rejoin within a fetch; a member that does not is removed from the group. */
const REBALANCE_TIMEOUT_MS = 10_000;
/** An idle member sends heartbeats, and notices a rebalance, only when its fetch returns. */
const FETCH_WAIT_MS = 500;
const BYTES_PER_PARTITION_MAX = 4 * 1024 * 1024;
/** kafkajs' own retries of an error of a broker; beyond them the consumer is replaced, which interrupts its group for a session. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 400, retries: 6 };
/** A consumer without any answer for so long is replaced, even if kafkajs reports it as running. */
const STALLED_MS = 12_000;
/** By then the cluster has moved the partitions of a silent broker; kafkajs would still query the old one. */
const SILENT_BROKER_MS = 10_000;
/** While no broker accepts a connection the consumer remains, since its brokers will still know it; for so long. */
const RECONNECTING_MS_MAX = 120_000;
const CHECK_INTERVAL_MS = 1_000;
const RESTART_DELAY_MS_MAX = 2_000;
/** A starting cluster refuses a new member for some seconds; after this it is logged as a warning. */
const START_MS = 15_000;
/** Joining takes seconds while others leave the group or join it. */
const JOIN_MS_MAX = 30_000;
/** Limited because heartbeats wait meanwhile. */
const POSITIONING_MS_MAX = 2_000;
/** How long a stop waits for the consumer to leave its group. */
const LEAVE_MS_MAX = 5_000;

/** Messages of one partition, as fetched. */
export interface FetchedBatch {
  partition: number;
  messages: KafkaMessage[];
  /** Offset of the next record to be appended. */
  highWatermark: string;
}

export interface GroupReaderOptions {
  kafka: Kafka;
  /** With its prefix. */
  topic: string;
  groupId: string;
  /** Where a group without committed offsets starts. Default: at the earliest record. */
  from?: 'latest';
  /** How long a fetch waits at its broker for records; a rebalance and a stop wait for it. Default 500 ms. */
  fetchWaitMs?: number;
  /** Read this partition alone; the group must have no other member. Default: the group shares all partitions. */
  partition?: number;
  /**
   * The group commits nothing: after an interruption it continues after the last delivered record, as another group, which need not wait
   * for the end of the former's session.
   */
  ephemeral?: boolean;
  /** Where an ephemeral group starts in these partitions; overrides `from`. */
  startAt?: ReadonlyMap<number, bigint>;
  /**
   * Called after every join: where to continue in the member's partitions. Records that arrive before it resolves are not
   * delivered. When it fails the consumer is replaced. Default: the committed offsets.
   */
  startOffsets?(partitions: readonly number[]): Promise<ReadonlyMap<number, bigint>>;
  /** Takes fetched records synchronously; fetching continues until `throttle`. */
  onBatch(batch: FetchedBatch): void;
  /** The member has these partitions now; records after the committed offsets are delivered (again). */
  onAssigned?(partitions: readonly number[]): void;
  /** A rebalance is about to start: the last moment to commit for this generation. */
  onRebalancing?(): void;
}

/** Consumers of this process that are disconnecting. */
const closing = new Set<Promise<void>>();

/**
 * Resolves when every replaced or stopped consumer has closed its connections. That may be after its `stop` has resolved; a
 * process that ends need not wait for it. Never rejects.
 */
export async function allConsumersClosed(): Promise<void> {
  while (closing.size > 0) await Promise.all(closing);
}

/**
 * A member of a consumer group on one topic. A consumer that crashes, or that the cluster has not answered for long, is
 * replaced until the member is stopped.
 */
export class GroupReader {
  private readonly logger = new Logger('Kafka');
  private liveness?: ConsumerLiveness;
  private readonly delivered = new Map(this.options.startAt);
  private consumer?: Consumer;
  /** Settles when the consumer has joined its group, or failed to; before that kafkajs cannot stop it. */
  private joining?: Promise<void>;
  /** The partitions of this member; empty until the consumer has joined. */
  assigned: readonly number[] = [];
  /** Changes when this member gets an assignment or loses it. */
  generation = 0;
  private paused = false;
  /** Partitions that are not read for now. */
  private readonly pausedPartitions = new Set<number>();
  /** Sets the start offsets of this generation; undefined when they are set. Never rejects. */
  private positioning?: Promise<void>;
  private failures = 0;
  /** Consumers that were replaced. */
  private replaced = 0;
  private joined = false;
  private readonly startedAt = performance.now();
  private stopped = false;
  private checks?: NodeJS.Timeout;
  private restart?: NodeJS.Timeout;
  /** Settles `start`: with an error when the member was stopped before it joined. */
  private settleStart?: (error?: Error) => void;

  constructor(private readonly options: GroupReaderOptions) {}

  /** As `start`, but stops after 30 s. @throws ServiceError `unavailable` then. */
  async startInTime(): Promise<void> {
    if (await withTimeout(JOIN_MS_MAX, this.start())) return;
    await this.stop();
    throw unavailable(`Group ${this.options.groupId} could not be joined within ${JOIN_MS_MAX / 1000} s`);
  }

  /** Resolves when the member first joins its group; rejects when it is stopped before. */
  start(): Promise<void> {
    this.checks = setInterval(() => this.checkLiveness(), CHECK_INTERVAL_MS).unref();
    this.openConsumer();
    return new Promise((resolve, reject) => {
      this.settleStart = (error) => (error ? reject(error) : resolve());
    });
  }

  /** How long nothing could be read, in ms; 0 while the cluster answers. */
  interruptedForMs(): number {
    if (!this.liveness) return 0;
    return this.consumer ? this.liveness.interruptedForMs() : this.liveness.sinceAnswerMs();
  }

  /**
   * Commits that everything before these offsets is handled.
   * @throws what kafkajs throws, or when the member is in no group now; the records are delivered again then.
   */
  async commit(offsets: ReadonlyMap<number, bigint | number>): Promise<void> {
    const { topic, groupId } = this.options;
    if (!this.consumer || this.assigned.length === 0) throw new Error(`Not a member of ${groupId} now`);
    await this.consumer.commitOffsets([...offsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) })));
  }

  /** Pauses fetching when `load` reaches 1 until it is below one half, in later generations too. */
  throttle(load: number): void {
    const paused = load >= (this.paused ? 0.5 : 1);
    if (paused === this.paused) return;
    this.paused = paused;
    this.applyPause();
  }

  /** Fetches no more of a partition until `resumePartition`, in later generations too. */
  pausePartition(partition: number): void {
    this.pausedPartitions.add(partition);
    this.applyPause();
  }

  /** Fetches a paused partition again. @param offset of the next record to deliver; default: where fetching is. */
  resumePartition(partition: number, offset?: bigint): void {
    if (!this.pausedPartitions.delete(partition)) return;
    if (this.consumer && offset !== undefined) this.seek(this.consumer, new Map([[partition, offset]]));
    this.applyPause();
  }

  /** Leaves the group and joins it again, so that `startOffsets` decides anew where to continue. */
  rejoin(cause: Error): void {
    if (this.consumer) this.replace(this.consumer, cause);
  }

  private applyPause() {
    // Before its consumer has joined, kafkajs throws; the join applies the pause.
    if (this.assigned.length === 0) return;
    const { topic } = this.options;
    const paused = this.assigned.filter((partition) => this.paused || this.pausedPartitions.has(partition));
    const resumed = this.assigned.filter((partition) => !paused.includes(partition));
    if (paused.length > 0) this.consumer?.pause([{ topic, partitions: paused }]);
    if (resumed.length > 0) this.consumer?.resume([{ topic, partitions: resumed }]);
  }

  /** Leaves the group, so that others take over at once. Idempotent. */
  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    clearInterval(this.checks);
    clearTimeout(this.restart);
    this.settleStart?.(new Error(`The reader of ${this.options.topic} was stopped`));
    const { consumer } = this;
    this.consumer = undefined;
    if (consumer) await this.disconnect(consumer);
  }

  private openConsumer() {
    const { kafka, groupId, topic, partition, ephemeral, fetchWaitMs = FETCH_WAIT_MS } = this.options;
    const consumer = kafka.consumer({
      groupId: ephemeral && this.replaced > 0 ? `${groupId}.${this.replaced}` : groupId,
      partitionAssigners: [partition === undefined ? PartitionAssigners.roundRobin : pinnedAssigner(topic, partition)],
      sessionTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_INTERVAL_MS,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      maxWaitTimeInMs: fetchWaitMs,
      maxBytesPerPartition: BYTES_PER_PARTITION_MAX,
      minBytes: 1,
      allowAutoTopicCreation: false,
      retry: { ...RETRY, restartOnFailure: () => Promise.resolve(false) },
    });
    this.consumer = consumer;
    this.liveness = new ConsumerLiveness(consumer, this.liveness?.fetchedAt);
    const { CRASH, GROUP_JOIN, REBALANCING } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => this.onJoin(consumer, payload.memberAssignment[topic] ?? []));
    consumer.on(REBALANCING, () => consumer === this.consumer && this.options.onRebalancing?.());
    consumer.on(CRASH, ({ payload }) => this.replace(consumer, payload.error));
    this.joining = this.join(consumer);
    this.joining.catch((error: unknown) => this.replace(consumer, error));
  }

  private async join(consumer: Consumer) {
    const { topic, from } = this.options;
    await consumer.connect();
    if (consumer !== this.consumer) return;
    await consumer.subscribe({ topics: [topic], fromBeginning: !from });
    if (consumer !== this.consumer) return;
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: true,
      eachBatch: async ({ batch, isStale }) => {
        // Returning earlier would start a fetch behind these messages, which have to be fetched again.
        if (this.positioning) await withTimeout(POSITIONING_MS_MAX, this.positioning);
        if (consumer === this.consumer && !isStale()) this.deliver(batch);
      },
    });
  }

  private deliver(batch: FetchedBatch) {
    const last = batch.messages.at(-1);
    if (!last || this.positioning) return;
    this.delivered.set(batch.partition, BigInt(last.offset) + 1n);
    this.options.onBatch(batch);
  }

  private onJoin(consumer: Consumer, partitions: readonly number[]) {
    if (consumer !== this.consumer) return;
    const { ephemeral, startOffsets, onAssigned } = this.options;
    this.generation += 1;
    this.failures = 0;
    this.joined = true;
    this.assigned = partitions;
    // kafkajs keeps partitions paused across a reassignment, and knows nothing of new ones.
    this.applyPause();
    if (ephemeral) this.seek(consumer, this.delivered);
    onAssigned?.(partitions);
    this.positioning = startOffsets && this.position(consumer, startOffsets);
    if (!startOffsets) this.settleStart?.();
  }

  /** Before the seek kafkajs fetches from the committed offsets; the seek makes it drop fetches in flight. */
  private async position(consumer: Consumer, startOffsets: NonNullable<GroupReaderOptions['startOffsets']>) {
    const generation = this.generation;
    try {
      const offsets = await startOffsets(this.assigned);
      if (generation !== this.generation) return;
      this.seek(consumer, offsets);
      this.positioning = undefined;
      this.settleStart?.();
    } catch (error) {
      if (generation === this.generation) this.replace(consumer, error);
    }
  }

  private seek(consumer: Consumer, offsets: ReadonlyMap<number, bigint>) {
    const { topic } = this.options;
    for (const [partition, offset] of offsets) {
      if (this.assigned.includes(partition)) consumer.seek({ topic, partition, offset: String(offset) });
    }
  }

  private checkLiveness() {
    const { consumer, liveness } = this;
    if (!consumer || !liveness) return;
    const silentMs = liveness.sinceAnswerMs();
    if (liveness.isReconnecting() && silentMs < RECONNECTING_MS_MAX) return;
    if (silentMs > STALLED_MS) this.replace(consumer, new Error(`the cluster has not answered for ${Math.round(silentMs)} ms`));
    else if (liveness.longestSilenceMs() > SILENT_BROKER_MS) this.replace(consumer, new Error('one of the brokers does not answer'));
  }

  /** Replaces the consumer after a backoff. */
  private replace(consumer: Consumer, cause: unknown) {
    if (consumer !== this.consumer || this.stopped) return;
    this.consumer = undefined;
    this.assigned = [];
    this.generation += 1;
    this.failures += 1;
    this.replaced += 1;
    const line = `Reading ${this.options.topic} as ${this.options.groupId} failed and is restarted (failure ${this.failures} in a row): ${reasonOf(cause)}`;
    if (this.joined || performance.now() - this.startedAt > START_MS) this.logger.warn(line);
    else this.logger.debug(line);
    void this.disconnect(consumer);
    this.restart = setTimeout(() => this.openConsumer(), retryDelayMs(this.failures, RESTART_DELAY_MS_MAX));
  }

  /**
   * Disconnects a consumer; waits for it 5 s at most, and ignores its errors. A consumer that kafkajs stops while it joins would
   * stay in the group without reading, so the disconnect waits for the join.
   */
  private async disconnect(consumer: Consumer) {
    const ended = Promise.resolve(this.joining)
      .catch(() => undefined)
      .then(() => consumer.disconnect())
      .catch(() => undefined);
    closing.add(ended);
    void ended.finally(() => closing.delete(ended));
    await withTimeout(LEAVE_MS_MAX, ended);
  }
}
