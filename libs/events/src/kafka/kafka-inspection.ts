import { KafkaAdmin } from '@tidings/kafka/admin';
import { createKafkaClient } from '@tidings/kafka/client';
import { RecordSigner } from '@tidings/kafka/record-signer';
import type { KafkaSettings } from '@tidings/kafka/settings';
import type { InspectedPage, LogInspection } from '../inspection';
import { committedOffsets } from './group-progress';
import { type OffsetRange, readRange } from './read-range';
import { SignedEvents } from './signed-events';

/** The ranges of an inspection by partition, as JSON: what is left of them. */
type Cursor = [partition: number, from: string, to: string][];

interface KafkaInspectionOptions {
  readonly settings: KafkaSettings;
  readonly clientId: string;
  /** Without its prefix. */
  readonly topic: string;
  /** As consumers name it. */
  readonly group: string;
}

/** An inspection of a topic in Kafka. Records that a process would refuse, as their signature is wrong, are left out. */
export class KafkaInspection implements LogInspection {
  private readonly kafka = createKafkaClient(this.options.settings, this.options.clientId);
  private readonly admin = new KafkaAdmin(this.kafka);
  private readonly topic = `${this.options.settings.topicPrefix}${this.options.topic}`;

  constructor(private readonly options: KafkaInspectionOptions) {}

  async *pages(cursor: string | undefined, signal: AbortSignal): AsyncGenerator<InspectedPage> {
    const { admin, kafka, topic } = this;
    const { clientId, group } = this.options;
    const committed = await committedOffsets(admin, topic, `${topic}.${group}`);
    const ranges = cursor === undefined ? await this.wholeTopic() : rangesOf(cursor);
    const isForged = this.forgeryCheck();
    for await (const { partition, messages, next } of readRange({ kafka, admin, clientId }, topic, new Map(ranges), {
      isCompacted: false,
      signal,
    })) {
      const handled = committed.get(partition) ?? 0n;
      const records = messages
        .filter((message) => !isForged(message))
        .map(({ key, value, timestamp, offset }) => ({
          key: key?.toString() ?? '',
          payload: value && value.toString(),
          appendedAt: Number(timestamp),
          isHandled: BigInt(offset) < handled,
        }));
      ranges.set(partition, { from: next, to: ranges.get(partition)!.to });
      yield { records, cursor: cursorOf(ranges) };
    }
  }

  async close() {
    await this.admin.close();
  }

  private async wholeTopic() {
    const bounds = await this.admin.request((connected) => connected.fetchTopicOffsets(this.topic));
    return new Map(bounds.map(({ partition, low, high }) => [partition, { from: BigInt(low), to: BigInt(high) }] as const));
  }

  /** Without a secret no signature can be checked. */
  private forgeryCheck() {
    const { topicPrefix, signing } = this.options.settings;
    if (signing.secrets.length === 0) return () => false;
    const signer = new RecordSigner(signing.secrets, 'events', topicPrefix);
    const signed = new SignedEvents({ signer, acceptsUnsigned: signing.acceptsUnsigned ?? false, onRefused: () => undefined });
    return (message: Parameters<SignedEvents['faultOf']>[1]) => signed.faultOf(this.topic, message) !== undefined;
  }
}

function cursorOf(ranges: ReadonlyMap<number, OffsetRange>) {
  const entries: Cursor = [...ranges].map(([partition, { from, to }]) => [partition, String(from), String(to)]);
  return JSON.stringify(entries);
}

function rangesOf(cursor: string) {
  const entries = JSON.parse(cursor) as Cursor;
  return new Map(entries.map(([partition, from, to]) => [partition, { from: BigInt(from), to: BigInt(to) }] as const));
}
