import { statement } from '@tidings/persistence/statement';
import { DEAD_LETTERS_PAGE, type DeadLetter, type DeadLetterStorage, type StoredDeadLetter } from '../dead-letters';
import { deadTopicOf, type Topic } from '../topic';
import type { Session } from './session';

const FIND = statement(
  'events-dead-letters',
  'SELECT r.position, r.payload FROM events.records r JOIN events.topics t ON t.id = r.topic_id WHERE t.name = $1 AND r.position > $2 ORDER BY r.position LIMIT $3',
);
const REMOVE = statement('events-dead-letters-remove', 'SELECT events.remove_dead($1, $2::bigint[])');

/** Dead letters as records of their own, by position. Errors are those of `Session.query`. */
export class PostgresDeadLetters implements DeadLetterStorage<number> {
  constructor(private readonly session: () => Promise<Session>) {}

  async *pages(topic: Topic): AsyncGenerator<StoredDeadLetter<number>[]> {
    for (let position = 0; ;) {
      const session = await this.session();
      const rows = await session.query<[string, string]>(FIND, [deadTopicOf(topic).topic, position, DEAD_LETTERS_PAGE]);
      if (rows.length === 0) return;
      yield rows.map(([at, text]) => ({ reference: Number(at), deadLetter: JSON.parse(text) as DeadLetter }));
      position = Number(rows.at(-1)![0]);
    }
  }

  async remove(topic: Topic, positions: readonly number[]): Promise<void> {
    const session = await this.session();
    await session.query(REMOVE, [deadTopicOf(topic).topic, positions]);
  }
}
