import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { FetchedBatch } from '@tidings/events/kafka/group-reader-options';
import { GroupReader } from '@tidings/events/kafka/group-reader';
import type { Kafka, KafkaMessage } from 'kafkajs';
import type { ReplyRecord } from '../envelope';
import { OperationServer } from '../operation-server';
import type { BrokerClock } from './broker-clock';
import { decodeFrame, deliveryIdOf, PROBE, replyKey, type RequestFrame } from './call-header';
import { OffsetTracker, type TrackedOffset } from './offset-tracker';
import { RequestDeduplicator } from './request-deduplicator';
import type { RpcProducer } from './rpc-producer';

/** Fetching pauses above, and goes on below half of it; beneath what the handlers' queue refuses. */
const AT_WORK_MAX = 8_000;
/** A request that was answered less than this ago may be delivered once more after a crash. */
const COMMIT_INTERVAL_MS = 500;
/** How long a stop waits for requests at work before it leaves the group; longer ones are answered afterwards. */
const DRAIN_MS_MAX = 3_000;
const FINISH_MS_MAX = 10_000;
const LOOK_MS = 10;
const BODY_OF_PROBE = '';

interface KafkaServerOptions {
  kafka: Kafka;
  /** With its prefix; its group is called the same. */
  topic: string;
  replyTopic: string;
  producer: RpcProducer;
  clock: BrokerClock;
  onClosed(): void;
}

/** A member of a service's group: answers the requests of the partitions it has. */
export class KafkaServer extends OperationServer {
  protected override readonly logger = new Logger('Kafka');
  /** Callers know a member by this name. */
  private readonly member = randomBytes(4).toString('hex');
  private readonly recent = new RequestDeduplicator();
  private ledgers = new Map<number, OffsetTracker>();
  private generation = 0;
  private atWork = 0;
  private paused = false;
  private readonly reader: GroupReader;
  private commitTimer?: NodeJS.Timeout;
  private joined = false;
  private closing?: Promise<void>;

  constructor(private readonly options: KafkaServerOptions) {
    super();
    const { kafka, topic } = options;
    this.reader = new GroupReader({
      kafka,
      topic,
      groupId: topic,
      from: 'earliest', // what is too old is dropped by its deadline
      onBatch: (batch) => this.take(batch),
      onAssigned: (partitions, generation) => this.begin(partitions, generation),
      onRebalancing: () => void this.commit(),
    });
  }

  /** Calls back when this member has joined its group, or when it was stopped before. */
  override listen(callback: (error?: unknown) => void): void {
    this.reader.start().then(() => {
      this.joined = true;
      callback();
    }, callback);
  }

  /** Whether requests reach this member, as far as it can tell. */
  get alive(): boolean {
    return this.joined && !this.closing && this.reader.interruptedForMs() === 0;
  }

  /** Takes nothing more, answers what is at work, and leaves the group, so that others take over at once. */
  override close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    clearTimeout(this.commitTimer);
    this.reader.pause(this.reader.assigned);
    await this.workDone(DRAIN_MS_MAX);
    await this.commit();
    await this.reader.stop();
    await this.workDone(FINISH_MS_MAX);
    this.options.onClosed();
  }

  private async workDone(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (this.atWork > 0 && performance.now() < end) await new Promise((look) => setTimeout(look, LOOK_MS));
  }

  /** Everything that was not committed comes again; `recent` knows what of it is at work or answered. */
  private begin(partitions: readonly number[], generation: number): void {
    this.generation = generation;
    this.ledgers = new Map();
    // kafkajs remembers what was paused, of partitions that come back too.
    if (this.paused || this.closing) this.reader.pause(partitions);
    else this.reader.resume(partitions);
  }

  private take({ generation, partition, messages }: FetchedBatch): void {
    // What comes while we leave is left to whoever takes over.
    if (generation !== this.generation || this.closing) return;
    let ledger = this.ledgers.get(partition);
    if (!ledger) this.ledgers.set(partition, (ledger = new OffsetTracker()));
    for (const message of messages) this.receive(message, ledger.open(Number(message.offset)));
    this.commitTimer ??= setTimeout(() => void this.commit(), COMMIT_INTERVAL_MS);
    this.holdOrGoOn();
  }

  private receive({ headers, value, timestamp }: KafkaMessage, ticket: TrackedOffset): void {
    const frame = decodeFrame(headers);
    if (!frame) {
      ticket.finished = true;
      return;
    }
    const age = this.options.clock.ageMs(Number(timestamp));
    const arrivedAt = performance.now() - age;
    if (frame.headers.operation === PROBE) {
      this.reply(frame, BODY_OF_PROBE, arrivedAt);
      ticket.finished = true;
      return;
    }
    if (!this.recent.begin(frame.id, ticket)) return;
    this.atWork += 1;
    const record = { headers: { ...frame.headers, deliveryId: deliveryIdOf(frame.id) }, body: value?.toString() ?? '' };
    void this.answer(record, arrivedAt, () => !this.closing).then((reply) => this.conclude(frame, ticket, reply, arrivedAt));
  }

  /** A request counts as done when the broker has its reply, or when nobody waits for it any more. */
  private conclude(frame: RequestFrame, ticket: TrackedOffset, reply: ReplyRecord | undefined, arrivedAt: number): void {
    const done = (): void => {
      this.atWork -= 1;
      // Not begun because we leave: without its place committed, it is another member's.
      if (reply === undefined && this.closing) return;
      this.recent.end(frame.id, ticket);
      this.commitTimer ??= setTimeout(() => void this.commit(), COMMIT_INTERVAL_MS);
      this.holdOrGoOn();
    };
    if (reply === undefined || !this.reply(frame, reply, arrivedAt, done)) done();
  }

  private reply({ id, replyPartition, headers }: RequestFrame, reply: ReplyRecord, arrivedAt: number, settled?: () => void): boolean {
    return this.options.producer.add({
      topic: this.options.replyTopic,
      message: { partition: replyPartition, key: replyKey(id, this.member), value: reply },
      characters: reply.length,
      notAfter: arrivedAt + Number(headers.deadline),
      impatient: false,
      repeatable: true,
      settled,
    });
  }

  private async commit(): Promise<void> {
    clearTimeout(this.commitTimer);
    this.commitTimer = undefined;
    const { ledgers, generation } = this;
    const places = new Map<number, number>();
    for (const [partition, ledger] of ledgers) {
      const place = ledger.toCommit;
      if (place !== undefined) places.set(partition, place);
    }
    if (places.size === 0) return;
    try {
      await this.reader.commit(generation, new Map([...places].map(([partition, place]) => [partition, BigInt(place)])));
      for (const [partition, place] of places) ledgers.get(partition)!.committed(place);
    } catch (error) {
      this.logger.debug(`${this.options.topic}: a place could not be committed: ${(error as Error).message}`);
    }
  }

  private holdOrGoOn(): void {
    if (this.closing || (this.paused ? this.atWork > AT_WORK_MAX / 2 : this.atWork < AT_WORK_MAX)) return;
    this.paused = !this.paused;
    if (this.paused) this.reader.pause(this.reader.assigned);
    else this.reader.resume(this.reader.assigned);
  }
}
