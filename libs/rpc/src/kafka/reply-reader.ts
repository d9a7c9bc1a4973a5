import { GroupReader, type GroupReaderOptions } from '@tidings/kafka/group-reader';
import type { KafkaMessage } from 'kafkajs';
import { PING, requestId } from './call-header';
import type { RpcProducer } from './rpc-producer';
import type { SignedCalls } from './signed-calls';

/** How long a ping may be in flight; above the interval between two. */
const PING_MS_MAX = 4_000;

interface ReplyReaderOptions extends Pick<GroupReaderOptions, 'kafka' | 'topic'> {
  partition: number;
  instance: string;
  producer: RpcProducer;
  signed: SignedCalls;
  onMessages(messages: readonly KafkaMessage[]): void;
}

/** Reads one partition of the reply topic as its group's only member, and checks itself by pings. */
export class ReplyReader {
  readonly partition = this.options.partition;
  private readonly reader = new GroupReader({
    ...this.options,
    groupId: `${this.options.topic}.${this.options.instance}.${this.partition}`,
    from: 'latest',
    ephemeral: true,
    onBatch: ({ messages }) => this.options.onMessages(messages),
  });
  private readonly sent = new Map<number, number>();
  private aliveAt = performance.now();

  constructor(private readonly options: ReplyReaderOptions) {}

  open(): void {
    this.reader.start().catch(() => undefined); // rejects when stopped before it joined
  }

  close(): Promise<void> {
    return this.reader.stop();
  }

  /** Time since the last ping came back, or since the start, in ms. */
  silentForMs(): number {
    return performance.now() - this.aliveAt;
  }

  interruptedForMs(): number {
    return this.reader.interruptedForMs();
  }

  ping(number: number): void {
    const { topic, partition, instance, producer, signed } = this.options;
    const now = performance.now();
    for (const [ping, sentAt] of this.sent) if (now - sentAt > PING_MS_MAX) this.sent.delete(ping);
    this.sent.set(number, now);
    producer.add({
      topic,
      message: { partition, key: signed.replyKey(topic, requestId(instance, PING, number), instance, ''), value: '' },
      size: 0,
      notAfter: now + PING_MS_MAX,
      repeatable: true,
    });
  }

  /** Notes that a ping came back. @returns when it was sent; `undefined` for another reader's ping. */
  seen(ping: number, now: number): number | undefined {
    const sentAt = this.sent.get(ping);
    if (sentAt === undefined) return undefined;
    this.sent.delete(ping);
    this.aliveAt = now;
    return sentAt;
  }
}
