import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { randomUUID } from 'node:crypto';
import type { Kafka } from 'kafkajs';
import type { BroadcastSubscription, EventRecord } from '../event-log';
import { type FetchedBatch, GroupReader } from '@tidings/kafka/group-reader';
import { toRecord } from './records';
import { withTimeout } from '@tidings/contracts/core/with-timeout';

const JOIN_MS_MAX = 30_000;
const CHECK_INTERVAL_MS = 200;

const logger = new Logger('EventLog');

interface BroadcastingOptions<Payload extends object> {
  kafka: Kafka;
  /** With its prefix. */
  topic: string;
  /** The first offset to deliver of each partition. */
  startAt: ReadonlyMap<number, bigint>;
  handler: (record: EventRecord<Payload>) => void;
  /** See `GroupReaderOptions`. */
  fetchWaitMs?: number;
}

/** Delivers every record of a topic to this instance, in order; after an interruption the missed records come first. */
export class Broadcasting<Payload extends object> implements BroadcastSubscription {
  private readonly reader: GroupReader;
  /** Partitions with records that are not delivered yet. */
  private readonly behind = new Set<number>();
  /** By `performance.now()`, while records may be missing. */
  private missingSince?: number;
  private readonly checks: NodeJS.Timeout;

  private constructor(private readonly options: BroadcastingOptions<Payload>) {
    const { kafka, topic, startAt, fetchWaitMs } = options;
    this.reader = new GroupReader({
      kafka,
      topic,
      groupId: `${topic}.broadcast.${randomUUID()}`,
      fetchWaitMs,
      from: 'earliest',
      ephemeral: true,
      startAt,
      onBatch: (batch) => this.deliver(batch),
    });
    this.checks = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
  }

  /** Resolves when the instance reads the topic. @throws ServiceError `unavailable` */
  static async start<Payload extends object>(options: BroadcastingOptions<Payload>): Promise<Broadcasting<Payload>> {
    const broadcasting = new Broadcasting(options);
    if (await withTimeout(JOIN_MS_MAX, broadcasting.reader.start())) return broadcasting;
    await broadcasting.stop();
    throw unavailable(`Topic ${options.topic} could not be read within ${JOIN_MS_MAX / 1000} s`);
  }

  interruptedForMs(): number {
    const missingMs = this.missingSince === undefined ? 0 : performance.now() - this.missingSince;
    return Math.max(missingMs, this.reader.interruptedForMs());
  }

  async stop(): Promise<void> {
    clearInterval(this.checks);
    await this.reader.stop();
  }

  /** An interruption lasts until the missed records are delivered, not until the cluster answers. */
  private check(): void {
    const interruptedMs = this.reader.interruptedForMs();
    if (interruptedMs > 0) this.missingSince ??= performance.now() - interruptedMs;
    else if (this.behind.size > 0) this.missingSince ??= performance.now();
    else this.missingSince = undefined;
  }

  private deliver({ partition, messages, highWatermark }: FetchedBatch): void {
    const { topic, handler } = this.options;
    for (const message of messages) {
      const { record, unreadable } = toRecord<Payload>(partition, message);
      if (unreadable !== undefined) {
        logger.error(`${topic}: record ${record.id} is skipped: ${unreadable}`);
        continue;
      }
      try {
        handler(record);
      } catch (error) {
        logger.error(`${topic}: the broadcast handler failed for record ${record.id}: ${reasonOf(error)}`);
      }
    }
    if (BigInt(messages.at(-1)!.offset) + 1n < BigInt(highWatermark)) this.behind.add(partition);
    else this.behind.delete(partition);
  }
}
