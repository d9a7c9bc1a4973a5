import type { KafkaAdmin } from '@tidings/kafka/admin';
import type { Kafka, KafkaMessage, Message } from 'kafkajs';
import { DEAD_LETTERS_PAGE, type DeadLetter, deadLetterId, type DeadLetterStorage, type StoredDeadLetter } from '../dead-letters';
import type { Topic } from '../topic';
import { readToEnd } from './read-to-end';
import { bytesOf, type Origin, toMessage } from './records';

/** Memory limit of one pass, oldest dead letters first; later ones are read in another pass. */
const BYTES_MAX = 64 * 1024 * 1024;
const REASON_CHARACTERS_MAX = 4_096;

/** Header with all fields of the dead letter but the payload, which is the record's unchanged value. */
const HEADER = 'dead-letter';

type HeaderFields = Omit<DeadLetter, 'payload'> & { tombstone?: true };

/** A dead letter, for a dead topic. Its key is its id, so that a repeated one replaces the first one, and a tombstone removes it. */
export function deadLetterMessage(topic: Topic, origin: Origin, deadLetter: DeadLetter): Message {
  const id = deadLetterId(topic, deadLetter);
  const { payload, ...fields } = deadLetter;
  const header: HeaderFields = {
    ...fields,
    reason: fields.reason.slice(0, REASON_CHARACTERS_MAX),
    ...(payload === null && { tombstone: true }),
  };
  const message = toMessage({ id, key: id, payload: payload ?? '' }, origin);
  return { ...message, headers: { ...message.headers, [HEADER]: JSON.stringify(header) } };
}

function parseDeadLetter({ value, headers }: KafkaMessage): DeadLetter | undefined {
  const header = headers?.[HEADER];
  if (!header || value === null) return undefined;
  const { tombstone, ...fields } = JSON.parse(header.toString()) as HeaderFields;
  return { ...fields, payload: tombstone ? null : value.toString() };
}

/** Dead letters by their key on a compacted topic. Errors are `unavailable`, or those of appending a tombstone. */
export class KafkaDeadLetters implements DeadLetterStorage<string> {
  constructor(
    private readonly kafka: Kafka,
    private readonly admin: KafkaAdmin,
    /** The name of a topic's dead topic, with its prefix. */
    private readonly deadTopic: (topic: Topic) => Promise<string>,
    private readonly append: (deadTopic: string, messages: readonly Message[]) => Promise<void>,
  ) {}

  async remove(topic: Topic, keys: readonly string[]): Promise<void> {
    await this.append(
      await this.deadTopic(topic),
      keys.map((key) => ({ key, value: null })),
    );
  }

  async *pages(topic: Topic): AsyncGenerator<StoredDeadLetter<string>[]> {
    const deadTopic = await this.deadTopic(topic);
    const seen = new Set<string>();
    for (let complete = false; !complete;) {
      const pass = await this.read(deadTopic, seen);
      if (pass.stored.length === 0) return;
      ({ complete } = pass);
      for (let begin = 0; begin < pass.stored.length; begin += DEAD_LETTERS_PAGE) {
        yield pass.stored.slice(begin, begin + DEAD_LETTERS_PAGE);
      }
    }
  }

  /** Those not seen before, oldest first, up to the memory limit; `complete` when that did not leave any out. */
  private async read(deadTopic: string, seen: Set<string>): Promise<{ stored: StoredDeadLetter<string>[]; complete: boolean }> {
    const found = new Map<string, { deadLetter: DeadLetter; at: number; bytes: number }>();
    let bytes = 0;
    let complete = true;
    await readToEnd(this.kafka, this.admin, deadTopic, (message) => {
      const key = message.key?.toString() ?? '';
      const existing = found.get(key);
      const deadLetter = parseDeadLetter(message);
      if (!deadLetter) {
        found.delete(key);
        bytes -= existing?.bytes ?? 0;
      } else if (!existing && !seen.has(key)) {
        if (bytes >= BYTES_MAX) complete = false;
        else found.set(key, { deadLetter, at: Number(message.timestamp), bytes: bytesOf(message) });
        bytes += found.get(key)?.bytes ?? 0;
      }
    });
    const stored = [...found]
      .sort(([, one], [, other]) => one.at - other.at) // stable: keeps the order of a partition
      .map(([reference, { deadLetter }]) => ({ reference, deadLetter }));
    for (const { reference } of stored) seen.add(reference);
    return { stored, complete };
  }
}
