import { statement } from '@tidings/persistence/statement';
import { createHash } from 'node:crypto';
import type { ReadRecord } from '../handle-batch';
import { type DeadLetter, type DeadLetters, LETTERS, LETTERS_REQUEUED, originalsOf, type RequeueOptions } from '../dead-letters';
import type { EncodedEvent } from '../new-event';
import { deadTopicOf, type Topic } from '../topic';
import type { Session } from './session';

const FIND = statement(
  'events-letters',
  'SELECT r.position, r.payload FROM events.records r JOIN events.topics t ON t.id = r.topic_id WHERE t.name = $1 AND r.position > $2 ORDER BY r.position LIMIT $3',
);
const REMOVE = statement('events-letters-remove', 'SELECT events.remove_dead($1, $2::bigint[])');

const PAGE = 100;

interface StoredLetter {
  /** Of the letter, not of its record. */
  position: number;
  letter: DeadLetter;
}

/** The letter about a record. The same group gives the same record the same letter, however often it gives it up. */
export function letterOf<Payload extends object>(
  topic: string,
  group: string,
  { record: { id, key, position, appendedAt, sequence }, text }: ReadRecord<Payload>,
  reason: string,
  attempts: number,
): EncodedEvent {
  const letter: DeadLetter = { group, reason, attempts, id, key, position, appendedAt, payload: text, sequence };
  return {
    id: createHash('sha256')
      .update(JSON.stringify([topic, group, position]))
      .digest('base64url'),
    key,
    payload: JSON.stringify(letter),
  };
}

/** What stands on dead topics, and the way back. Errors are the driver's own, `unavailable`, or those of appending. */
export class PostgresDeadLetters implements DeadLetters {
  constructor(
    private readonly session: () => Promise<Session>,
    private readonly append: (topic: Topic, events: readonly EncodedEvent[]) => Promise<void>,
  ) {}

  async deadLetters(topic: Topic, limit = LETTERS): Promise<DeadLetter[]> {
    const letters = await this.read(deadTopicOf(topic).topic, 0, limit);
    return letters.map(({ letter }) => letter);
  }

  async requeueDead(topic: Topic, { ids, limit = LETTERS_REQUEUED }: RequeueOptions = {}): Promise<number> {
    const { topic: deadTopic } = deadTopicOf(topic);
    const wanted = ids && new Set(ids);
    let requeued = 0;
    let position = 0;
    while (requeued < limit) {
      const page = await this.read(deadTopic, position, PAGE);
      if (page.length === 0) break;
      position = page.at(-1)!.position;
      const letters = page.filter(({ letter }) => !wanted || wanted.has(letter.id)).slice(0, limit - requeued);
      if (letters.length === 0) continue;
      await this.append(topic, originalsOf(letters));
      await this.remove(deadTopic, letters);
      requeued += letters.length;
    }
    return requeued;
  }

  private async read(deadTopic: string, position: number, limit: number): Promise<StoredLetter[]> {
    const session = await this.session();
    const rows = await session.query<[string, string]>(FIND, [deadTopic, position, limit]);
    return rows.map(([at, text]) => ({ position: Number(at), letter: JSON.parse(text) as DeadLetter }));
  }

  private async remove(deadTopic: string, letters: readonly StoredLetter[]): Promise<void> {
    const session = await this.session();
    await session.query(REMOVE, [deadTopic, letters.map(({ position }) => position)]);
  }
}
