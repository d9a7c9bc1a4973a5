import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { type FetchedBatch, GroupReader } from '@tidings/kafka/group-reader';
import { ProgressCommitter } from '@tidings/kafka/progress-committer';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { encodeError, type ReplyRecord } from '../envelope';
import { OperationServer } from '../operation-server';
import type { RpcObserver } from '../rpc-observer';
import type { BrokerClock } from './broker-clock';
import { deliveryIdOf, PROBE, type RequestFrame } from './call-header';
import { type FetchedRequest, OffsetTracker, RequestDeduplicator } from './request-offsets';
import { tooLargeForKafka } from './record-size';
import type { RpcProducer } from './rpc-producer';
import type { SealedBodies } from './sealed-bodies';
import type { SignedCalls } from './signed-calls';

/** Fetching pauses above this many open requests and resumes below half; below the limit of the handlers' queue. */
const OPEN_REQUESTS_MAX = 8_000;
/** Requests answered within this time may be delivered again after a crash. */
const COMMIT_INTERVAL_MS = 500;
/** How long a stop waits for open requests before it leaves the group; slower ones are answered afterwards. */
const DRAIN_MS_MAX = 3_000;
const FINISH_MS_MAX = 10_000;
/** Of a record that needs no more work. */
const FINISHED: FetchedRequest = { finished: true };

interface KafkaServerOptions {
  kafka: Kafka;
  /** With its prefix; also the name of its group. */
  topic: string;
  /** The roles whose calls are answered. */
  callers: readonly ServiceName[];
  /** The topic of the replies to a role; without one, of all replies. */
  replyTopicOf(role?: ServiceName): string;
  producer: RpcProducer;
  clock: BrokerClock;
  signed: SignedCalls;
  bodies: SealedBodies;
  observer: RpcObserver;
  onClosed(): void;
}

/** A member of a service's group: answers the requests of its assigned partitions. */
export class KafkaServer extends OperationServer {
  protected override readonly logger = new Logger('Kafka');
  /** Name of the member in its replies. */
  private readonly member = randomBytes(4).toString('hex');
  private readonly deduplicator = new RequestDeduplicator();
  private trackers = new Map<number, OffsetTracker>();
  private openRequests = 0;
  private readonly reader = new GroupReader({
    kafka: this.options.kafka,
    topic: this.options.topic,
    groupId: this.options.topic, // starts at the earliest record; old requests are dropped by their deadline
    onBatch: (batch) => this.onFetched(batch),
    // Uncommitted requests are delivered again; the deduplicator drops those open or answered here.
    onAssigned: () => (this.trackers = new Map()),
    onRebalancing: () => void this.committer.flush(),
  });
  private readonly committer = new ProgressCommitter(
    COMMIT_INTERVAL_MS,
    () => this.commit(),
    (error) => this.logger.debug(`${this.options.topic}: committing offsets failed: ${(error as Error).message}`),
  );
  private joined = false;
  private closing?: Promise<void>;

  constructor(private readonly options: KafkaServerOptions) {
    super(options.observer);
  }

  /** Calls back when this member has joined its group, or with an error when it was stopped before. */
  override listen(callback: (error?: unknown) => void) {
    this.reader.start().then(() => {
      this.joined = true;
      callback();
    }, callback);
  }

  /** Whether requests reach this member. */
  get alive(): boolean {
    return this.joined && !this.closing && this.reader.interruptedForMs() === 0;
  }

  /** Accepts no more requests, answers open ones, and leaves the group, so that other members take over at once. */
  override close() {
    return (this.closing ??= this.finish());
  }

  private async finish() {
    this.reader.throttle(1);
    await this.drain(DRAIN_MS_MAX);
    await this.committer.flush();
    await this.reader.stop();
    await this.drain(FINISH_MS_MAX);
    this.options.onClosed();
  }

  /** Whether every request is finished. */
  protected override get idle() {
    return this.openRequests === 0;
  }

  private onFetched({ partition, messages }: FetchedBatch) {
    // While leaving, further requests are left to the member that takes over.
    if (this.closing) return;
    let tracker = this.trackers.get(partition);
    if (!tracker) this.trackers.set(partition, (tracker = new OffsetTracker()));
    for (const message of messages) tracker.track(Number(message.offset), this.receive(message));
    this.noteProgress();
  }

  private receive(message: KafkaMessage): Readonly<FetchedRequest> {
    const { value, timestamp } = message;
    const { topic, callers, signed } = this.options;
    const frame = signed.readRequest(topic, message, callers);
    if (!frame) return FINISHED;
    const age = this.options.clock.ageMs(Number(timestamp));
    const arrivedAt = performance.now() - age;
    if (frame.headers.operation === PROBE) {
      this.reply(frame, '', arrivedAt);
      return FINISHED;
    }
    const sent = { headers: { ...frame.headers, deliveryId: deliveryIdOf(frame.id) }, body: value?.toString() ?? '' };
    const record = this.options.bodies.openRequest(sent);
    // Sealed with a secret that this member does not have: its caller waits in vain.
    if (!record) return FINISHED;
    const { request, isNew } = this.deduplicator.begin(frame.id);
    if (!isNew) return request;
    this.openRequests += 1;
    void this.answer(record, arrivedAt, () => !this.closing).then((reply) => this.conclude(frame, request, reply, arrivedAt));
    return request;
  }

  /** A request is finished when the broker has its reply, or its deadline has passed. */
  private conclude(frame: RequestFrame, request: FetchedRequest, reply: ReplyRecord | undefined, arrivedAt: number) {
    const done = () => {
      this.openRequests -= 1;
      // Not started because this member leaves: its offset stays uncommitted, so another member gets it.
      if (reply === undefined && this.closing) return;
      request.finished = true;
      this.noteProgress();
    };
    if (reply === undefined || !this.reply(frame, this.sealed(frame, reply), arrivedAt, done)) done();
  }

  private sealed({ headers: { operation } }: RequestFrame, reply: ReplyRecord) {
    const sealed = this.seals(operation, reply) ? this.options.bodies.sealReply(operation, reply) : reply;
    return this.options.producer.isTooLarge(sealed) ? encodeError(tooLargeForKafka(`The reply of ${operation}`)) : sealed;
  }

  private reply({ id, replyPartition, replyRole, headers }: RequestFrame, reply: ReplyRecord, arrivedAt: number, settled?: () => void) {
    const { producer, signed } = this.options;
    const topic = this.options.replyTopicOf(replyRole);
    return producer.add({
      topic,
      message: { partition: replyPartition, key: signed.replyKey(topic, id, this.member, reply), value: reply },
      size: reply.length,
      notAfter: arrivedAt + Number(headers.deadline),
      repeatable: true,
      settled,
    });
  }

  private async commit(): Promise<void> {
    const { trackers } = this;
    const offsets = new Map<number, number>();
    for (const [partition, { toCommit }] of trackers) if (toCommit !== undefined) offsets.set(partition, toCommit);
    if (offsets.size === 0) return;
    await this.reader.commit(offsets);
    for (const [partition, offset] of offsets) trackers.get(partition)!.committed(offset);
  }

  private noteProgress() {
    this.committer.schedule();
    this.reader.throttle(this.closing ? 1 : this.openRequests / OPEN_REQUESTS_MAX);
  }
}
