import { type FetchedBatch, GroupReader, type GroupReaderOptions } from '@tidings/kafka/group-reader';
import { randomUUID } from 'node:crypto';
import { Broadcasting } from '../broadcasting';
import type { BroadcastHandler } from '../event-log';
import { toRecord } from './records';
import type { SignedEvents } from './signed-events';

const CHECK_INTERVAL_MS = 200;

interface KafkaBroadcastingOptions extends Pick<GroupReaderOptions, 'kafka' | 'topic' | 'startAt' | 'fetchWaitMs'> {
  clientId: string;
  signed: SignedEvents;
  /** Called for records that are signed with an unknown key. */
  onMissed(): void;
}

/** A broadcast to a group of this instance alone. */
export class KafkaBroadcasting extends Broadcasting {
  /** Partitions with records that are not delivered yet. */
  private readonly behind = new Set<number>();
  private checks?: NodeJS.Timeout;
  protected readonly connection = new GroupReader({
    ...this.options,
    groupId: `${this.name}.${this.options.clientId}.broadcast.${randomUUID()}`,
    ephemeral: true,
    onBatch: (batch) => this.onFetched(batch),
  });

  private constructor(
    private readonly options: KafkaBroadcastingOptions,
    handler: BroadcastHandler<never>,
  ) {
    super(options.topic, handler);
  }

  /** Resolves when the instance reads the topic. @throws ServiceError `unavailable` */
  static async start(options: KafkaBroadcastingOptions, handler: BroadcastHandler<never>): Promise<KafkaBroadcasting> {
    const broadcasting = new KafkaBroadcasting(options, handler);
    await broadcasting.connection.startInTime();
    broadcasting.checks = setInterval(() => broadcasting.check(), CHECK_INTERVAL_MS).unref();
    return broadcasting;
  }

  async stop() {
    clearInterval(this.checks);
    await this.connection.stop();
  }

  /** An interruption lasts until the missed records are delivered, not until the cluster answers. */
  private check() {
    const interruptedMs = this.connection.interruptedForMs();
    if (interruptedMs > 0 || this.behind.size > 0) this.behindSince ??= performance.now() - interruptedMs;
    else this.behindSince = undefined;
  }

  private onFetched({ partition, messages, highWatermark }: FetchedBatch) {
    const { topic, signed, onMissed } = this.options;
    const faults = messages.map((message) => signed.faultOf(topic, message));
    for (const [index, fault] of faults.entries())
      if (fault) signed.noteRefused(topic, fault, `partition ${partition}, offset ${messages[index]!.offset}`);
    this.deliver(messages.filter((_, index) => !faults[index]).map((message) => toRecord(partition, message)));
    // After the others, so that nothing which they made current is older than the missed ones.
    if (faults.some((fault) => fault?.keyId !== undefined)) onMissed();
    if (BigInt(messages.at(-1)!.offset) + 1n < BigInt(highWatermark)) this.behind.add(partition);
    else this.behind.delete(partition);
  }
}
