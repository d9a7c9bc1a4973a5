import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { type Consumer, type KafkaMessage, PartitionAssigners } from 'kafkajs';
import type { GroupReaderOptions } from './group-reader-options';
import { pinnedAssigner } from './pinned-assigner';
import { ConsumerLiveness } from './consumer-liveness';
import { retryDelayMs } from '../retry-delay';
import { withTimeout } from '../with-timeout';

export type { FetchedBatch } from './group-reader-options';

/** A member that was killed blocks its partitions for this long. */
const SESSION_TIMEOUT_MS = 6_000;
const HEARTBEAT_INTERVAL_MS = 1_500;
/** Members hand over within a fetch; one that does not is gone. */
const REBALANCE_TIMEOUT_MS = 10_000;
/** An idle member heartbeats, and learns of a rebalance, only when its fetch returns. */
const FETCH_WAIT_MS = 500;
const BYTES_PER_PARTITION_MAX = 4 * 1024 * 1024;
/** kafkajs' own retries; beyond them the consumer is thrown away and made anew. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 };
/** A consumer that the cluster has answered nothing for so long has stopped, whatever it believes. */
const STALLED_MS = 12_000;
/** After this a cluster has given the partitions of a silent broker to another one; kafkajs would go on asking the first. */
const SILENT_BROKER_MS = 10_000;
const WATCH_INTERVAL_MS = 1_000;
const RESTART_DELAY_MS_MAX = 2_000;
/** A cluster that gets ready refuses a new member for some seconds; longer is worth a warning. */
const START_MS = 15_000;
/** Heartbeats wait meanwhile. */
const PLACING_MS_MAX = 2_000;
/** How long a stop waits for the consumer to leave its group. */
const LEAVE_MS_MAX = 5_000;

/** Consumers of this process that were told to leave their groups and have not ended yet. */
const leaving = new Set<Promise<void>>();

/**
 * Resolves when every consumer that was thrown away or stopped has let go of its connections. That may be after its `stop` has
 * returned: whoever ends the process need not wait for it. Never rejects.
 */
export async function allHaveLeft(): Promise<void> {
  while (leaving.size > 0) await Promise.all(leaving);
}

/**
 * A member of a consumer group on one topic that lives until it is stopped: a consumer that crashes, or that the cluster has
 * not answered for long, is thrown away and made anew, for ever.
 */
export class GroupReader {
  private readonly logger = new Logger('Kafka');
  private readonly pulse = new ConsumerLiveness();
  private readonly delivered: Map<number, bigint>;
  private consumer?: Consumer;
  /** Settles when a consumer has joined its group, or failed to; before that kafkajs cannot stop it. */
  private readonly joining = new WeakMap<Consumer, Promise<void>>();
  private partitions: readonly number[] = [];
  private turn = 0;
  /** Of the turn, whether it is known where to go on, and the way there; never rejects. */
  private placed = false;
  private placing?: Promise<void>;
  private failures = 0;
  private joined = false;
  private startedAt = 0;
  private stopped = false;
  private watch?: NodeJS.Timeout;
  private restart?: NodeJS.Timeout;
  private readonly firstJoin: { promise: Promise<void>; resolve(): void; reject(error: Error): void };

  constructor(private readonly options: GroupReaderOptions) {
    this.delivered = new Map(options.startAt);
    let resolve!: () => void;
    let reject!: (error: Error) => void;
    const promise = new Promise<void>((settle, fail) => ((resolve = settle), (reject = fail)));
    promise.catch(() => undefined);
    this.firstJoin = { promise, resolve, reject };
  }

  /** Resolves when the member has joined its group for the first time; rejects when it is stopped before. */
  start(): Promise<void> {
    this.watch = setInterval(() => this.look(), WATCH_INTERVAL_MS).unref();
    this.startedAt = performance.now();
    this.open();
    return this.firstJoin.promise;
  }

  /** Counts the times this member was given partitions; commits of an older generation are nobody's any more. */
  get generation(): number {
    return this.turn;
  }

  get assigned(): readonly number[] {
    return this.partitions;
  }

  /** How long nothing could be read, in ms; 0 while the cluster answers. */
  interruptedForMs(): number {
    return this.consumer ? this.pulse.interruptedForMs() : this.pulse.sinceAnswerMs();
  }

  /**
   * Everything before these offsets is done. A generation that is over commits nothing.
   * @throws what kafkajs throws; the records come again then.
   */
  async commit(generation: number, offsets: ReadonlyMap<number, bigint>): Promise<void> {
    if (generation !== this.turn || !this.consumer || offsets.size === 0) return;
    const { topic } = this.options;
    await this.consumer.commitOffsets([...offsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) })));
  }

  /** Fetches nothing more of these partitions until `resume`. */
  pause(partitions: readonly number[]): void {
    this.consumer?.pause([{ topic: this.options.topic, partitions: [...partitions] }]);
  }

  resume(partitions: readonly number[]): void {
    this.consumer?.resume([{ topic: this.options.topic, partitions: [...partitions] }]);
  }

  /** Leaves the group, so that others take over at once. Again is the same as once. */
  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    clearInterval(this.watch);
    clearTimeout(this.restart);
    this.firstJoin.reject(new Error(`The reader of ${this.options.topic} was stopped`));
    const { consumer } = this;
    this.consumer = undefined;
    if (consumer) await this.dismiss(consumer);
  }

  private open(): void {
    const { kafka, groupId, topic, partition, fetchWaitMs = FETCH_WAIT_MS } = this.options;
    const consumer = kafka.consumer({
      groupId,
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
    this.pulse.begin(consumer);
    const { CRASH, GROUP_JOIN, REBALANCING } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => this.onJoin(consumer, payload.memberAssignment[topic] ?? []));
    consumer.on(REBALANCING, () => consumer === this.consumer && this.options.onRebalancing?.());
    consumer.on(CRASH, ({ payload }) => this.replace(consumer, payload.error));
    const joining = this.join(consumer);
    this.joining.set(consumer, joining);
    joining.catch((error: unknown) => this.replace(consumer, error));
  }

  private async join(consumer: Consumer): Promise<void> {
    const { topic, from } = this.options;
    await consumer.connect();
    if (consumer !== this.consumer) return;
    await consumer.subscribe({ topics: [topic], fromBeginning: from === 'earliest' });
    if (consumer !== this.consumer) return;
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: true,
      eachBatch: async ({ batch, isStale }) => {
        // Going on would end in a fetch that waits behind these messages, which have to come again.
        if (this.placing) await withTimeout(PLACING_MS_MAX, this.placing);
        if (consumer === this.consumer && !isStale()) this.deliver(batch.partition, batch.messages, batch.highWatermark);
      },
    });
  }

  private deliver(partition: number, messages: KafkaMessage[], highWatermark: string): void {
    const last = messages.at(-1);
    if (!last || !this.placed) return;
    this.delivered.set(partition, BigInt(last.offset) + 1n);
    this.options.onBatch({ generation: this.turn, partition, messages, highWatermark });
  }

  private onJoin(consumer: Consumer, partitions: readonly number[]): void {
    if (consumer !== this.consumer) return;
    const { ephemeral, place, onAssigned } = this.options;
    this.turn += 1;
    this.placed = place === undefined;
    this.failures = 0;
    this.joined = true;
    this.partitions = partitions;
    if (ephemeral) this.seek(consumer, this.delivered);
    onAssigned?.(partitions, this.turn);
    this.placing = place && this.goOn(consumer, place);
    if (!place) this.firstJoin.resolve();
  }

  /** Until the answer kafkajs fetches from where it thinks right; a seek makes it drop what is on its way. */
  private async goOn(consumer: Consumer, place: NonNullable<GroupReaderOptions['place']>): Promise<void> {
    const { turn } = this;
    try {
      const places = await place(this.partitions, turn);
      if (turn !== this.turn) return;
      this.seek(consumer, places);
      this.placed = true;
      this.placing = undefined;
      this.firstJoin.resolve();
    } catch (error) {
      if (turn === this.turn) this.replace(consumer, error);
    }
  }

  private seek(consumer: Consumer, places: ReadonlyMap<number, bigint>): void {
    const { topic } = this.options;
    for (const [partition, offset] of places) {
      if (this.partitions.includes(partition)) consumer.seek({ topic, partition, offset: String(offset) });
    }
  }

  private look(): void {
    if (this.consumer && this.pulse.sinceAnswerMs() > STALLED_MS) {
      this.replace(this.consumer, new Error(`nothing was answered for ${Math.round(this.pulse.sinceAnswerMs())} ms`));
    } else if (this.consumer && this.pulse.longestAskedMs() > SILENT_BROKER_MS) {
      this.replace(this.consumer, new Error('one of the brokers does not answer'));
    }
  }

  /** Throws the consumer away and makes another one, after a pause that grows with every failure. */
  private replace(consumer: Consumer, cause: unknown): void {
    if (consumer !== this.consumer || this.stopped) return;
    this.consumer = undefined;
    this.partitions = [];
    this.turn += 1;
    this.placed = false;
    this.failures += 1;
    const line = `Reading ${this.options.topic} as ${this.options.groupId} begins anew (failure ${this.failures} in a row): ${reasonOf(cause)}`;
    if (this.joined || performance.now() - this.startedAt > START_MS) this.logger.warn(line);
    else this.logger.debug(line);
    void this.dismiss(consumer);
    this.restart = setTimeout(() => this.open(), retryDelayMs(this.failures, RESTART_DELAY_MS_MAX));
  }

  /**
   * What is thrown away may take its time, and may fail. One that kafkajs is told to stop while it joins would go on as a member
   * that answers nobody: the stop waits for that, however long this waits for the stop.
   */
  private async dismiss(consumer: Consumer): Promise<void> {
    const ended = Promise.resolve(this.joining.get(consumer))
      .catch(() => undefined)
      .then(() => consumer.disconnect())
      .catch(() => undefined);
    leaving.add(ended);
    void ended.finally(() => leaving.delete(ended));
    await withTimeout(LEAVE_MS_MAX, ended);
  }
}
