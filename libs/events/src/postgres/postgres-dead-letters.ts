import { statement } from '@tidings/persistence/statement';
import { DEAD_LETTERS_PAGE, type DeadLetter, type StoredDeadLetter } from '../dead-letters';
import type { SessionHolder } from './session';

// SQL because dead letters are records of the event log, which has no entity.
const FIND = statement(
  'events-dead-letters',
  'SELECT r.position, r.payload FROM events.records r JOIN events.topics t ON t.id = r.topic_id WHERE t.name = $1 AND r.position > $2 ORDER BY r.position LIMIT $3',
);
const REMOVE = statement('events-dead-letters-remove', 'SELECT events.remove_dead($1, $2::bigint[])');

/** The dead letters on a dead topic, records of their own, by position. Errors are those of `Session.query`. */
export async function* deadLetterPages(holder: SessionHolder, deadTopic: string): AsyncGenerator<StoredDeadLetter[]> {
  for (let position = '0'; ;) {
    const session = await holder.session();
    const rows = await session.query<[string, string]>(FIND, [deadTopic, position, DEAD_LETTERS_PAGE]);
    if (rows.length === 0) return;
    yield rows.map(([reference, text]) => ({ reference, deadLetter: JSON.parse(text) as DeadLetter }));
    position = rows.at(-1)![0];
  }
}

/** Removes those at some positions of a dead topic. */
export async function removeDeadLetters(holder: SessionHolder, deadTopic: string, positions: readonly string[]): Promise<void> {
  const session = await holder.session();
  await session.query(REMOVE, [deadTopic, positions]);
}
