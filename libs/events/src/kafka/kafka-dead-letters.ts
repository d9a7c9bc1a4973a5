import type { KafkaAdmin } from '@tidings/kafka/admin';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { DEAD_LETTERS_PAGE, type DeadLetter, type StoredDeadLetter } from '../dead-letters';
import type { EncodedEvent } from '../new-event';
import { readToEnd } from './read-to-end';
import { bytesOf } from './records';

/** Memory limit of one pass, oldest dead letters first; later ones are read in another pass. */
const BYTES_MAX = 64 * 1024 * 1024;
const REASON_CHARACTERS_MAX = 4_096;

/** Header with all fields of the dead letter but the payload, which is the record's unchanged value. */
const HEADER = 'dead-letter';

type HeaderFields = Omit<DeadLetter, 'payload'> & { tombstone?: true };

/** A dead letter, for a dead topic. Its key is its id, so that a repeated one replaces the first one, and a tombstone removes it. */
export function encodeDeadLetter(id: string, { payload, reason, ...fields }: DeadLetter): EncodedEvent {
  const header: HeaderFields = {
    ...fields,
    reason: reason.slice(0, REASON_CHARACTERS_MAX),
    ...(payload === null && { tombstone: true }),
  };
  return { id, key: id, payload: payload ?? '', headers: { [HEADER]: JSON.stringify(header) } };
}

function parseDeadLetter({ value, headers }: KafkaMessage): DeadLetter | undefined {
  const header = headers?.[HEADER];
  if (!header || value === null) return undefined;
  const { tombstone, ...fields } = JSON.parse(header.toString()) as HeaderFields;
  return { ...fields, payload: tombstone ? null : value.toString() };
}

/** The dead letters of a compacted topic by their key, oldest first. @throws ServiceError `unavailable` */
export async function* deadLetterPages(kafka: Kafka, admin: KafkaAdmin, deadTopic: string): AsyncGenerator<StoredDeadLetter[]> {
  const seen = new Set<string>();
  for (let complete = false; !complete;) {
    const found = new Map<string, { deadLetter: DeadLetter; at: number; bytes: number }>();
    let bytes = 0;
    complete = true;
    await readToEnd(kafka, admin, deadTopic, (message) => {
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
    if (found.size === 0) return;
    const stored = [...found]
      .sort(([, one], [, other]) => one.at - other.at) // stable: keeps the order of a partition
      .map(([reference, { deadLetter }]) => ({ reference, deadLetter }));
    for (const { reference } of stored) seen.add(reference);
    for (let begin = 0; begin < stored.length; begin += DEAD_LETTERS_PAGE) yield stored.slice(begin, begin + DEAD_LETTERS_PAGE);
  }
}
