import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { randomBytes } from 'node:crypto';
import type { BrokerClock } from './broker-clock';
import { PING, type ReplyAddress } from './call-header';
import { ReplyReader } from './reply-reader';
import type { RpcProducer } from './rpc-producer';
import type { SignedCalls } from './signed-calls';

/** Until a reader's first ping is seen: it starts at the end of its partition only with its first fetch. */
const FIRST_PING_INTERVAL_MS = 50;
/** Afterwards: checks that replies arrive, and follows the broker's clock. */
const PING_INTERVAL_MS = 500;
/** After this time without a ping, replies may not arrive. */
const SILENT_MS_MAX = 4 * PING_INTERVAL_MS;
const READY_MS_MAX = 15_000;
/** How long the previous partition is still read: longer than any call waits. */
const FORMER_MS = 15_000;
const DRAWS_MAX = 20;

/**
 * Receives the replies to this instance's calls from a partition of the reply topic, in a group of its own. When the partition falls
 * silent while the cluster is available, another one replaces it.
 */
export class ReplyChannel {
  /** First part of every address of this instance. */
  readonly instance = randomBytes(6).toString('hex');
  private readonly logger = new Logger('Kafka');
  private current = this.readerOf(Math.floor(Math.random() * this.partitions));
  /** Replaces the current reader with its first ping, unless the current one gets a ping before. */
  private successor?: ReplyReader;
  private readonly former = new Set<ReplyReader>();
  private pings = 0;
  private opened?: () => void;
  private timer?: NodeJS.Timeout;
  private closed = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
    private readonly partitions: number,
    private readonly producer: RpcProducer,
    private readonly clock: BrokerClock,
    private readonly signed: SignedCalls,
    private readonly onReply: (address: ReplyAddress, reply: Buffer | null) => void,
  ) {}

  /** The partition to send replies to now. */
  get partition(): number {
    return this.current.partition;
  }

  /** Whether a reply sent now would arrive. */
  get alive(): boolean {
    return this.current.silentForMs() < SILENT_MS_MAX && this.current.interruptedForMs() === 0;
  }

  /** Resolves when a record of this process has come back. @throws ServiceError `unavailable` when that takes too long. */
  async open(): Promise<void> {
    const seen = new Promise<void>((resolve) => (this.opened = resolve));
    this.current.open();
    this.timer = setInterval(() => this.current.ping(++this.pings), FIRST_PING_INTERVAL_MS);
    const isSeen = await withTimeout(READY_MS_MAX, seen);
    clearInterval(this.timer);
    if (!isSeen) throw unavailable(`Kafka did not return a ping within ${READY_MS_MAX / 1000} s`);
    if (!this.closed) this.timer = setInterval(() => this.check(), PING_INTERVAL_MS).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    const readers = [this.current, this.successor, ...this.former].filter((reader) => reader !== undefined);
    await Promise.all(readers.map((reader) => reader.close()));
  }

  private check() {
    this.current.ping(++this.pings);
    this.successor?.ping(++this.pings);
    const latest = this.successor ?? this.current;
    if (latest.silentForMs() < SILENT_MS_MAX || this.closed) return;
    void this.successor?.close();
    this.successor = this.readerOf(this.anotherPartition(latest.partition));
    this.successor.open();
  }

  /** A partition that another broker leads, if there is one. */
  private anotherPartition(than: number) {
    let partition = than;
    for (let draw = 0; draw < DRAWS_MAX; draw++) {
      partition = Math.floor(Math.random() * this.partitions);
      if (!this.producer.sameLeader(this.topic, partition, than)) break;
    }
    return partition;
  }

  private readerOf(partition: number) {
    const { kafka, topic, instance, producer, signed } = this;
    return new ReplyReader({ kafka, topic, partition, instance, producer, signed, onMessages: (messages) => this.onMessages(messages) });
  }

  private onMessages(messages: readonly KafkaMessage[]) {
    for (const message of messages) {
      if (this.signed.instanceOf(message.key) !== this.instance) continue;
      const address = this.signed.readReply(this.topic, message);
      if (address?.call === PING) this.onPing(address.attempt, Number(message.timestamp));
      else if (address) this.onReply(address, message.value);
    }
  }

  private onPing(ping: number, appendedAt: number) {
    const now = performance.now();
    for (const reader of [this.current, this.successor]) {
      const sentAt = reader?.seen(ping, now);
      if (!reader || sentAt === undefined) continue;
      this.clock.observe(sentAt, now, appendedAt);
      if (this.successor) this.settle(reader);
      this.opened?.();
    }
  }

  /** Makes the first of two readers that got a ping the current one; the other is closed later. */
  private settle(alive: ReplyReader) {
    const other = alive === this.current ? this.successor! : this.current;
    this.successor = undefined;
    if (alive !== this.current) {
      this.current = alive;
      this.logger.warn(`Reading replies from partition ${alive.partition} now: partition ${other.partition} was silent`);
    }
    this.former.add(other);
    setTimeout(() => {
      this.former.delete(other);
      void other.close();
    }, FORMER_MS).unref();
  }
}
