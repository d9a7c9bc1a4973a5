import { statement } from '@tidings/persistence/statement';
import { createHash } from 'node:crypto';
import type { ReadRecord } from '../batch-delivery';
import type { DeadLetter } from '../dead-letters';
import type { EncodedEvent } from '../new-event';
import type { Session } from './session';

const FIND = statement(
  'events-letters',
  'SELECT r.position, r.payload FROM events.records r JOIN events.topics t ON t.id = r.topic_id WHERE t.name = $1 AND r.position > $2 ORDER BY r.position LIMIT $3',
);
const REMOVE = statement('events-letters-remove', 'SELECT events.remove_dead($1, $2::bigint[])');

export interface StoredLetter {
  /** Of the letter, not of its record. */
  position: number;
  letter: DeadLetter;
}

/** The letter about a record. The same group gives the same record the same letter, however often it gives it up. */
export function letterOf<Payload extends object>(
  topic: string,
  group: string,
  { record: { id, key, position, appendedAt }, text }: ReadRecord<Payload>,
  reason: string,
  attempts: number,
): EncodedEvent {
  const letter: DeadLetter = { group, reason, attempts, id, key, position, appendedAt, payload: text };
  return {
    id: createHash('sha256').update(JSON.stringify([topic, group, position])).digest('base64url'),
    key,
    payload: JSON.stringify(letter),
  };
}

/** The letters of a dead topic that follow `position`. */
export async function readLetters(session: Session, deadTopic: string, position: number, limit: number): Promise<StoredLetter[]> {
  const rows = await session.query<[string, string]>(FIND, [deadTopic, position, limit]);
  return rows.map(([at, text]) => ({ position: Number(at), letter: JSON.parse(text) as DeadLetter }));
}

export async function removeLetters(session: Session, deadTopic: string, letters: readonly StoredLetter[]): Promise<void> {
  await session.query(REMOVE, [deadTopic, letters.map(({ position }) => position)]);
}
