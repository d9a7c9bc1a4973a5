import { Logger } from '@nestjs/common';
import { classifyProduceFailure } from '@tidings/kafka/produce-failure';
import { AnswerLost, byTopic, connectProducer, unlessLost } from '@tidings/kafka/produce';
import type { Kafka, Producer } from 'kafkajs';
import { Coalescer, NotProduced, type OutgoingRecord } from './coalescer';

const ACKS_LEADER = 1;
/** A producer that failed so often in a row is replaced: kafkajs does not always recover by itself. */
const FAILURES_MAX = 3;
/** After this error kafkajs still sends to the same broker, even if another one leads the partition now. */
const TIMEOUT = 'KafkaJSRequestTimeoutError';

/** Sends records to one broker through a producer of its own, so that a frozen broker delays only its own records. */
export class BrokerProducer {
  readonly coalescer = new Coalescer(
    (records) => this.send(records),
    () => this.onFailure(this),
    this.batchLengthMax,
  );
  private readonly logger = new Logger('Kafka');
  private producer?: Producer;
  private failures = 0;
  /** Time of the first failure in a row. */
  private failingSince?: number;
  /** Whether a failure of this row of failures was logged. */
  private isWarned = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly onBatch: () => void,
    private readonly onFailure: (failed: BrokerProducer) => Promise<void>,
    /** Time after which a batch without an answer counts as lost, in ms. Default: that of `unlessLost`. */
    private readonly lostMs?: number,
    /** Refusals of a broker are logged after this time, in ms: the leader of a new topic does not know at once that it leads. */
    private readonly refusalsMs = 15_000,
    /** Characters of a batch. Default: that of `Coalescer`. */
    private readonly batchLengthMax?: number,
  ) {}

  async close(): Promise<void> {
    await this.coalescer.close();
    if (this.producer) await unlessLost(this.producer.disconnect()).catch(() => undefined);
  }

  /** @throws NotProduced when the cluster cannot be reached. */
  private async connected() {
    try {
      return (this.producer ??= await connectProducer(this.kafka, {
        createPartitioner:
          () =>
          ({ message }) =>
            message.partition!,
      }));
    } catch (error) {
      throw new NotProduced(error);
    }
  }

  private async send(records: readonly OutgoingRecord[]) {
    this.onBatch();
    try {
      const producer = await this.connected();
      await unlessLost(producer.sendBatch({ acks: ACKS_LEADER, topicMessages: byTopic(records) }), this.lostMs);
      this.failures = 0;
      this.failingSince = undefined;
      this.isWarned = false;
    } catch (error) {
      this.fail(error as Error & { cause?: Error });
      throw isNotProduced(error) ? new NotProduced(error) : error;
    }
  }

  private fail(error: Error & { cause?: Error }) {
    this.failures += 1;
    this.failingSince ??= performance.now();
    const isUsual = classifyProduceFailure(error).refused && performance.now() - this.failingSince < this.refusalsMs;
    if (!isUsual && !this.isWarned) {
      this.isWarned = true;
      this.logger.warn(`Sending requests and replies failed; retrying: ${error.message}`);
    }
    if (this.failures % FAILURES_MAX === 0 || error.name === TIMEOUT || error.cause?.name === TIMEOUT || error instanceof AnswerLost) {
      void this.producer?.disconnect().catch(() => undefined);
      this.producer = undefined;
    }
  }
}

/** Whether nothing of a batch was appended: its producer did not connect, or its one broker refused it. */
function isNotProduced(error: unknown) {
  if (error instanceof NotProduced) return true;
  const { refused, neverSent, unreachable } = classifyProduceFailure(error);
  return refused || neverSent || unreachable;
}
