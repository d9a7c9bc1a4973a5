import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { randomBytes } from 'node:crypto';
import { BrokerClock } from './broker-clock';
import { decodeReplyKey, type ReplyAddress } from './call-header';
import { PING, ReplyReader } from './reply-reader';
import type { RpcProducer } from './rpc-producer';

/** Until a reader's first ping is seen: it begins at the end of its partition only with its first fetch. */
const FIRST_PING_INTERVAL_MS = 50;
/** Afterwards: proves that replies would arrive, and follows the broker's clock. */
const PING_INTERVAL_MS = 1_000;
/** Longer than this without a ping seen, replies cannot be counted on. */
const SILENT_MS_MAX = 3 * PING_INTERVAL_MS;
const READY_MS_MAX = 15_000;
/** Longer than any call waits for a reply to the partition before. */
const FORMER_MS = 15_000;
const DRAWS_MAX = 20;

type OnReply = (address: ReplyAddress, reply: Buffer | null) => void;

/**
 * Where the answers to this instance's calls arrive: a partition of the reply topic that it alone reads in its group. When that falls silent
 * while the cluster lives, another one takes its place.
 */
export class ReplyChannel {
  /** Stands before everything that is addressed to this instance. */
  readonly instance = randomBytes(6).toString('hex');
  readonly clock = new BrokerClock();
  private readonly logger = new Logger('Kafka');
  private current: ReplyReader;
  /** Becomes the current one with its first ping, unless that one is heard of before. */
  private successor?: ReplyReader;
  private readonly former = new Map<ReplyReader, NodeJS.Timeout>();
  private pings = 0;
  private opened?: () => void;
  private timer?: NodeJS.Timeout;
  private closed = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
    private readonly partitions: number,
    private readonly producer: RpcProducer,
    private readonly onReply: OnReply,
  ) {
    this.current = this.readerOf(Math.floor(Math.random() * partitions));
  }

  /** Where replies are to be sent now. */
  get partition(): number {
    return this.current.partition;
  }

  /** Whether a reply sent now would arrive. */
  get alive(): boolean {
    return this.current.silentForMs() < SILENT_MS_MAX && this.current.interruptedForMs() === 0;
  }

  /** Resolves when a record of ours has come back. @throws `unavailable` when that takes too long. */
  async open(): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const seen = new Promise<void>((resolve, reject) => {
      this.opened = resolve;
      late = setTimeout(() => reject(unavailable('Kafka did not return what was sent to ourselves')), READY_MS_MAX);
    });
    this.current.open();
    this.timer = setInterval(() => this.current.ping(++this.pings), FIRST_PING_INTERVAL_MS);
    try {
      await seen;
    } finally {
      clearTimeout(late);
      clearInterval(this.timer);
    }
    if (!this.closed) this.timer = setInterval(() => this.look(), PING_INTERVAL_MS).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    for (const timer of this.former.values()) clearTimeout(timer);
    const readers = [this.current, ...(this.successor ? [this.successor] : []), ...this.former.keys()];
    await Promise.all(readers.map((reader) => reader.close()));
  }

  private look(): void {
    this.current.ping(++this.pings);
    this.successor?.ping(++this.pings);
    const tried = this.successor ?? this.current;
    if (tried.silentForMs() < SILENT_MS_MAX || this.closed) return;
    void this.successor?.close();
    this.successor = this.readerOf(this.anotherPartition(tried.partition));
    this.successor.open();
  }

  /** One that another broker leads, where there is one. */
  private anotherPartition(than: number): number {
    let partition = than;
    for (let draw = 0; draw < DRAWS_MAX; draw++) {
      partition = Math.floor(Math.random() * this.partitions);
      if (!this.producer.sameLeader(this.topic, partition, than)) break;
    }
    return partition;
  }

  private readerOf(partition: number): ReplyReader {
    const { kafka, topic, instance, producer } = this;
    return new ReplyReader({ kafka, topic, partition, instance, producer, onMessages: (messages) => this.take(messages) });
  }

  private take(messages: readonly KafkaMessage[]): void {
    for (const { key, value, timestamp } of messages) {
      const address = decodeReplyKey(key);
      if (address?.instance !== this.instance) continue;
      if (address.call === PING) this.onPing(address.ask, Number(timestamp));
      else this.onReply(address, value);
    }
  }

  private onPing(ping: number, appendedAt: number): void {
    const now = performance.now();
    for (const reader of [this.current, this.successor]) {
      const sentAt = reader?.seen(ping, now);
      if (reader && sentAt !== undefined) this.onAnswer(reader, sentAt, now, appendedAt);
    }
  }

  private onAnswer(reader: ReplyReader, sentAt: number, now: number, appendedAt: number): void {
    this.clock.observe(sentAt, now, appendedAt);
    if (this.successor) this.settle(reader);
    this.opened?.();
  }

  /** One of two was heard of. */
  private settle(heard: ReplyReader): void {
    const other = heard === this.current ? this.successor! : this.current;
    this.successor = undefined;
    if (heard !== this.current) {
      this.current = heard;
      this.logger.warn(`Replies are read from partition ${heard.partition} now: partition ${other.partition} was silent`);
    }
    const timer = setTimeout(() => {
      this.former.delete(other);
      void other.close();
    }, FORMER_MS).unref();
    this.former.set(other, timer);
  }
}
