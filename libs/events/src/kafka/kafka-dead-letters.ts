import { createHash } from 'node:crypto';
import type { Kafka, KafkaMessage, Message } from 'kafkajs';
import type { ReadRecord } from '../handle-batch';
import {
  type DeadLetter,
  type DeadLetters,
  DEAD_LETTERS_LISTED,
  DEAD_LETTERS_REQUEUED,
  originalsOf,
  type RequeueOptions,
} from '../dead-letters';
import type { EncodedEvent } from '../new-event';
import type { Topic } from '../topic';
import type { KafkaAdmin } from '@tidings/kafka/admin';
import type { TopicRegistry } from './topic-registry';
import { bytesOf, toMessage } from './records';
import { readToEnd } from './read-to-end';

const PAGE = 100;
/** Memory limit of one pass, oldest dead letters first; later ones are read in another pass. */
const BYTES_MAX = 64 * 1024 * 1024;
const REASON_CHARACTERS_MAX = 4_096;

/** Header with all fields of the dead letter but the payload, which is the record's unchanged value. */
const HEADER = 'dead-letter';

type HeaderFields = Omit<DeadLetter, 'payload'> & { tombstone?: true };

interface StoredDeadLetter {
  /** The dead letter's key on its topic. */
  storageKey: string;
  deadLetter: DeadLetter;
}

/**
 * The dead letter of a record, for a dead topic. Its key depends on the record and its group alone, so that a repeated dead
 * letter replaces the first one, and a tombstone removes it.
 */
export function deadLetterMessage<Payload extends object>(
  topic: Topic,
  { type, source }: { type: string; source: string },
  group: string,
  { record: { id, key, position, appendedAt, sequence }, text }: ReadRecord<Payload>,
  reason: string,
  attempts: number,
): Message {
  const storageKey = createHash('sha256')
    .update(JSON.stringify([topic.topic, group, position]))
    .digest('base64url');
  const fields: HeaderFields = {
    group,
    reason: reason.slice(0, REASON_CHARACTERS_MAX),
    attempts,
    id,
    key,
    position,
    appendedAt,
    ...(sequence !== undefined && { sequence }),
    ...(text === null && { tombstone: true }),
  };
  const message = toMessage({ id: storageKey, key: storageKey, payload: text ?? '' }, { type, source, time: Date.now() });
  return { ...message, headers: { ...message.headers, [HEADER]: JSON.stringify(fields) } };
}

function parseDeadLetter({ value, headers }: KafkaMessage): DeadLetter | undefined {
  const header = headers?.[HEADER];
  if (!header || value === null) return undefined;
  const { tombstone, ...fields } = JSON.parse(header.toString()) as HeaderFields;
  return { ...fields, payload: tombstone ? null : value.toString() };
}

/** Lists and requeues dead letters. Errors are `unavailable`, or those of appending. */
export class KafkaDeadLetters implements DeadLetters {
  constructor(
    private readonly kafka: Kafka,
    private readonly admin: KafkaAdmin,
    private readonly topics: TopicRegistry,
    private readonly append: (topic: Topic, events: readonly EncodedEvent[]) => Promise<void>,
    private readonly appendDead: (topic: Topic, messages: readonly Message[]) => Promise<void>,
  ) {}

  async deadLetters(topic: Topic, limit = DEAD_LETTERS_LISTED): Promise<DeadLetter[]> {
    const stored = await this.read(topic);
    return stored.slice(0, limit).map(({ deadLetter }) => deadLetter);
  }

  async requeueDead(topic: Topic, { ids, limit = DEAD_LETTERS_REQUEUED }: RequeueOptions = {}): Promise<number> {
    const wanted = ids && new Set(ids);
    let requeued = 0;
    while (requeued < limit) {
      const page = (await this.read(topic)).filter(({ deadLetter }) => !wanted || wanted.has(deadLetter.id)).slice(0, limit - requeued);
      if (page.length === 0) break;
      for (let begin = 0; begin < page.length; begin += PAGE) await this.requeue(topic, page.slice(begin, begin + PAGE));
      requeued += page.length;
    }
    return requeued;
  }

  /** Appends the originals before it removes their dead letters. */
  private async requeue(topic: Topic, stored: readonly StoredDeadLetter[]): Promise<void> {
    await this.append(topic, originalsOf(stored));
    await this.appendDead(
      topic,
      stored.map(({ storageKey }) => ({ key: storageKey, value: null })),
    );
  }

  /** Oldest first, up to the memory limit. */
  private async read(topic: Topic): Promise<StoredDeadLetter[]> {
    const { topic: deadTopic } = await this.topics.deadOf(topic);
    const found = new Map<string, { deadLetter: DeadLetter; at: number; bytes: number }>();
    let bytes = 0;
    await readToEnd(this.kafka, this.admin, deadTopic, (_, message) => {
      const storageKey = message.key?.toString() ?? '';
      const existing = found.get(storageKey);
      const deadLetter = parseDeadLetter(message);
      if (deadLetter && !existing && bytes < BYTES_MAX) {
        found.set(storageKey, { deadLetter, at: Number(message.timestamp), bytes: bytesOf(message) });
        bytes += bytesOf(message);
      }
      if (deadLetter || !existing) return;
      found.delete(storageKey);
      bytes -= existing.bytes;
    });
    return [...found]
      .sort(([, one], [, other]) => one.at - other.at) // stable: keeps the order of a partition
      .map(([storageKey, { deadLetter }]) => ({ storageKey, deadLetter }));
  }
}
