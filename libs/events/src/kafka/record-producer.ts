import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { byTopic, connectProducer, unlessLost } from '@tidings/kafka/produce';
import { type Kafka, type Message, Partitioners, type Producer } from 'kafkajs';
import { type Appender, type Attempt, EntriesRejected, NotAppended } from '../append-attempt';
import { REQUEST_TIMEOUT_MS } from '@tidings/kafka/client';
import { classifyProduceFailure } from '@tidings/kafka/produce-failure';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { logClosed } from '../log-closed';

const ACKS_ALL = -1;
/** A producer that failed so often in a row is replaced even if the cluster answers. */
const FAILURES_MAX = 5;
/** New topics are soon known to every broker; a change of leader is noticed by a failed produce. */
const METADATA_AGE_MS_MAX = 60_000;

/** A record to append to a topic. */
export interface OutgoingRecord {
  /** With its prefix. */
  topic: string;
  message: Message;
  /** Set when the log has acknowledged the record. */
  acknowledged?: boolean;
}

/** An unanswered produce; `ended` resolves with its failure, if any. */
interface Open {
  records: ReadonlySet<OutgoingRecord>;
  ended: Promise<{ error: unknown } | undefined>;
}

/**
 * Sends batches of records with acks from all in-sync replicas, one produce at a time. Not with kafkajs's idempotent producer: it
 * reuses sequence numbers after a failed produce, and the broker drops the next records as duplicates.
 */
export class RecordProducer implements Appender<OutgoingRecord> {
  private readonly logger = new Logger('Kafka');
  private producer?: Promise<Producer>;
  private open?: Open;
  private failures = 0;
  private closed = false;

  constructor(private readonly kafka: Kafka) {}

  /** @throws ServiceError `unavailable` */
  async connect(): Promise<void> {
    await this.connected();
  }

  /**
   * Resolves when all records are durable. Records acknowledged in an earlier attempt are not sent again; those with unknown
   * outcome are, so the log may contain them twice.
   */
  async append(records: readonly OutgoingRecord[], { timeoutMs, again }: Attempt): Promise<void> {
    const until = performance.now() + timeoutMs;
    await this.waitForOpen(records, until);
    const rest = records.filter(({ acknowledged }) => !acknowledged);
    if (rest.length === 0) return;
    const producer = await this.connectBy(until);
    // Again topic by topic, so that one failing topic does not block the others.
    const topics = new Set(rest.map(({ topic }) => topic));
    const parts = again ? [...topics].map((name) => rest.filter(({ topic }) => topic === name)) : [rest];
    for (const part of parts) await this.produce(producer, part, until);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.open?.ended;
    await this.discard();
  }

  /** Waits for an earlier attempt that timed out here and is still open, so that no record overtakes it. */
  private async waitForOpen(records: readonly OutgoingRecord[], until: number) {
    const { open } = this;
    if (!open) return;
    if (await withTimeout(until - performance.now(), open.ended)) return;
    const error = new Error('An earlier append is not answered yet');
    throw records.some((record) => open.records.has(record)) ? error : new NotAppended(error, true);
  }

  private async connectBy(until: number) {
    const producer = await withTimeout(until - performance.now(), this.connected()).catch((error: unknown) => {
      throw new NotAppended(error);
    });
    if (!producer) throw new NotAppended(new Error('Kafka cannot be reached in time'));
    return producer.value;
  }

  private connected() {
    if (this.closed) return Promise.reject(logClosed());
    if (this.producer) return this.producer;
    const connecting = connectProducer(this.kafka, {
      idempotent: false,
      metadataMaxAge: METADATA_AGE_MS_MAX,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    this.producer = connecting;
    connecting.catch(() => {
      if (this.producer === connecting) this.producer = undefined;
    });
    return connecting;
  }

  private async produce(producer: Producer, records: readonly OutgoingRecord[], until: number) {
    const open: Open = { records: new Set(records), ended: this.send(producer, records) };
    this.open = open;
    void open.ended.then(() => {
      if (this.open === open) this.open = undefined;
    });
    const answer = await withTimeout(until - performance.now(), open.ended);
    if (!answer) throw new Error(`Kafka did not answer in time`);
    if (answer.value) await this.fail(answer.value.error, producer, records, until);
  }

  /** Never rejects. */
  private async send(producer: Producer, records: readonly OutgoingRecord[]) {
    const topicMessages = byTopic(records);
    try {
      await unlessLost(producer.sendBatch({ acks: ACKS_ALL, timeout: REQUEST_TIMEOUT_MS, topicMessages }));
      for (const record of records) record.acknowledged = true;
      this.failures = 0;
      return undefined;
    } catch (error) {
      this.failures += 1;
      const { refused } = classifyProduceFailure(error);
      // The leader of a new topic may not know yet that it leads, so one refusal is not logged.
      if (this.failures === (refused ? 2 : 1)) this.logger.warn(`Events cannot be appended now: ${reasonOf(error)}`);
      // A refusal by the leader proves that the connection works.
      if (!refused || this.failures % FAILURES_MAX === 0) void this.discard();
      return { error };
    }
  }

  private async fail(error: unknown, producer: Producer, records: readonly OutgoingRecord[], until: number) {
    const { refused, neverSent, unreachable, tooLarge, permanent } = classifyProduceFailure(error);
    if (tooLarge) {
      if (records.length === 1) throw new EntriesRejected(new Set(records), tooLargeFor(records[0]!));
      const middle = Math.ceil(records.length / 2);
      await this.produce(producer, records.slice(0, middle), until);
      return this.produce(producer, records.slice(middle), until);
    }
    // With several records, other partitions may have stored theirs.
    if (neverSent || ((refused || unreachable) && records.length === 1)) throw new NotAppended(error, !permanent);
    throw error;
  }

  private async discard() {
    const { producer } = this;
    this.producer = undefined;
    if (producer)
      await withTimeout(
        REQUEST_TIMEOUT_MS,
        producer.then((one) => one.disconnect()).catch(() => undefined),
      );
  }
}

function tooLargeFor({ topic, message }: OutgoingRecord) {
  const bytes = Buffer.byteLength(message.value ?? '');
  return new ServiceError('payload_too_large', `Topic ${topic} accepts no record of ${bytes} bytes; raise its max.message.bytes`);
}
