import { createHash } from 'node:crypto';
import type { Kafka, KafkaMessage, Message } from 'kafkajs';
import type { ReadRecord } from '../handle-batch';
import { type DeadLetter, type DeadLetters, LETTERS, LETTERS_REQUEUED, originalsOf, type RequeueOptions } from '../dead-letters';
import type { EncodedEvent } from '../new-event';
import type { Topic } from '../topic';
import type { KafkaAdmin } from './admin';
import type { TopicRegistry } from './topic-registry';
import { bytesOf, toMessage } from './records';
import { readToEnd } from './read-to-end';

const PAGE = 100;
/** The oldest letters that are held in memory together; later ones wait for another look. */
const LETTERS_BYTES_MAX = 64 * 1024 * 1024;
const REASON_CHARACTERS_MAX = 4_096;

/** Header of a letter: everything of it but the payload, which is the record's value as it was. */
const ABOUT = 'dead-letter';

type About = Omit<DeadLetter, 'payload'> & { tombstone?: true };

interface StoredLetter {
  /** The letter's key on its topic. */
  letterId: string;
  letter: DeadLetter;
}

/**
 * The letter about a record, for a dead topic. The same group gives the same record the same letter, however often it gives it
 * up. Its key is its own, so that a tombstone removes it.
 */
export function letterMessage<Payload extends object>(
  topic: Topic,
  { type, source }: { type: string; source: string },
  group: string,
  { record: { id, key, position, appendedAt, sequence }, text }: ReadRecord<Payload>,
  reason: string,
  attempts: number,
): Message {
  const letterId = createHash('sha256')
    .update(JSON.stringify([topic.topic, group, position]))
    .digest('base64url');
  const about: About = {
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
  const message = toMessage({ id: letterId, key: letterId, payload: text ?? '' }, { type, source, time: Date.now() });
  return { ...message, headers: { ...message.headers, [ABOUT]: JSON.stringify(about) } };
}

function readLetter({ value, headers }: KafkaMessage): DeadLetter | undefined {
  const about = headers?.[ABOUT];
  if (!about || value === null) return undefined;
  const { tombstone, ...letter } = JSON.parse(about.toString()) as About;
  return { ...letter, payload: tombstone ? null : value.toString() };
}

/** What stands on dead topics, and the way back. Errors are `unavailable`, or those of appending. */
export class KafkaDeadLetters implements DeadLetters {
  constructor(
    private readonly kafka: Kafka,
    private readonly admin: KafkaAdmin,
    private readonly topics: TopicRegistry,
    private readonly append: (topic: Topic, events: readonly EncodedEvent[]) => Promise<void>,
    private readonly appendDead: (topic: Topic, messages: readonly Message[]) => Promise<void>,
  ) {}

  async deadLetters(topic: Topic, limit = LETTERS): Promise<DeadLetter[]> {
    const letters = await this.read(topic);
    return letters.slice(0, limit).map(({ letter }) => letter);
  }

  async requeueDead(topic: Topic, { ids, limit = LETTERS_REQUEUED }: RequeueOptions = {}): Promise<number> {
    const wanted = ids && new Set(ids);
    let requeued = 0;
    while (requeued < limit) {
      const letters = (await this.read(topic)).filter(({ letter }) => !wanted || wanted.has(letter.id)).slice(0, limit - requeued);
      if (letters.length === 0) break;
      for (let begin = 0; begin < letters.length; begin += PAGE) await this.putBack(topic, letters.slice(begin, begin + PAGE));
      requeued += letters.length;
    }
    return requeued;
  }

  /** The original is in the log again before its letter goes. */
  private async putBack(topic: Topic, letters: readonly StoredLetter[]): Promise<void> {
    await this.append(topic, originalsOf(letters));
    await this.appendDead(
      topic,
      letters.map(({ letterId }) => ({ key: letterId, value: null })),
    );
  }

  /** Oldest first; of many, only as many of the oldest as may be held in memory. */
  private async read(topic: Topic): Promise<StoredLetter[]> {
    const { topic: deadTopic } = await this.topics.deadOf(topic);
    const found = new Map<string, { letter: DeadLetter; at: number; bytes: number }>();
    let bytes = 0;
    await readToEnd(this.kafka, this.admin, deadTopic, (_, message) => {
      const letterId = message.key?.toString() ?? '';
      const known = found.get(letterId);
      const letter = readLetter(message);
      if (letter && !known && bytes < LETTERS_BYTES_MAX) {
        found.set(letterId, { letter, at: Number(message.timestamp), bytes: bytesOf(message) });
        bytes += bytesOf(message);
      }
      if (letter || !known) return;
      found.delete(letterId);
      bytes -= known.bytes;
    });
    return [...found]
      .sort(([, one], [, other]) => one.at - other.at) // stable: the order of a partition stays
      .map(([letterId, { letter }]) => ({ letterId, letter }));
  }
}
