import { Logger } from '@nestjs/common';
import { classifyProduceFailure } from '@tidings/events/kafka/produce-failure';
import type { Kafka, Message, Producer } from 'kafkajs';
import { Coalescer, NotProduced, type OutgoingRecord } from './coalescer';

const ACKS_LEADER = 1;
/** A producer that failed so often in a row is thrown away: kafkajs does not always find its own way back. */
const FAILURES_MAX = 3;
/** After this kafkajs goes on asking the same broker, wherever the partition is led by now. */
const TIMEOUT = 'KafkaJSRequestTimeoutError';

/** What travels to one broker, through a producer of its own: a broker that is frozen holds up nothing but what is meant for it. */
export class BrokerProducer {
  readonly coalescer: Coalescer;
  private readonly logger = new Logger('Kafka');
  private producer?: Producer;
  private failures = 0;

  constructor(
    private readonly kafka: Kafka,
    private readonly onBatch: () => void,
    onFailure: (lane: BrokerProducer) => Promise<void>,
  ) {
    this.coalescer = new Coalescer(
      (records) => this.send(records),
      () => onFailure(this),
    );
  }

  async close(): Promise<void> {
    await this.coalescer.close();
    await this.producer?.disconnect().catch(() => undefined);
  }

  /** @throws NotTaken when the cluster cannot be reached. */
  private async connected(): Promise<Producer> {
    if (this.producer) return this.producer;
    const producer = this.kafka.producer({
      allowAutoTopicCreation: false,
      retry: { retries: 0 },
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition!,
    });
    try {
      await producer.connect();
    } catch (error) {
      void producer.disconnect().catch(() => undefined);
      throw new NotProduced(error);
    }
    return (this.producer = producer);
  }

  private async send(records: readonly OutgoingRecord[]): Promise<void> {
    this.onBatch();
    const byTopic = new Map<string, Message[]>();
    for (const { topic, message } of records) {
      const messages = byTopic.get(topic);
      if (messages) messages.push(message);
      else byTopic.set(topic, [message]);
    }
    try {
      const producer = await this.connected();
      await producer.sendBatch({ acks: ACKS_LEADER, topicMessages: [...byTopic].map(([topic, messages]) => ({ topic, messages })) });
      this.failures = 0;
    } catch (error) {
      this.fail(error as Error & { cause?: Error });
      throw surelyNotTaken(error) ? new NotProduced(error) : error;
    }
  }

  private fail(error: Error & { cause?: Error }): void {
    this.failures += 1;
    if (this.failures === 1) this.logger.warn(`Requests and replies cannot be sent now: ${error.message}`);
    if (this.failures % FAILURES_MAX === 0 || error.name === TIMEOUT || error.cause?.name === TIMEOUT) {
      void this.producer?.disconnect().catch(() => undefined);
      this.producer = undefined;
    }
  }
}

/** Nothing of a batch was kept: its producer did not connect, or the one broker that it went to refused it. */
function surelyNotTaken(error: unknown): boolean {
  if (error instanceof NotProduced) return true;
  const { refused, neverSent, unreachable } = classifyProduceFailure(error);
  return refused || neverSent || unreachable;
}
