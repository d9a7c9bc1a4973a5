import { statement } from '@tidings/persistence/statement';
import { createHash } from 'node:crypto';
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
import { deadTopicOf, type Topic } from '../topic';
import type { Session } from './session';

const FIND = statement(
  'events-dead-letters',
  'SELECT r.position, r.payload FROM events.records r JOIN events.topics t ON t.id = r.topic_id WHERE t.name = $1 AND r.position > $2 ORDER BY r.position LIMIT $3',
);
const REMOVE = statement('events-dead-letters-remove', 'SELECT events.remove_dead($1, $2::bigint[])');

const PAGE = 100;

interface StoredDeadLetter {
  /** Of the dead letter, not of its original record. */
  position: number;
  deadLetter: DeadLetter;
}

/** The dead letter of a record. Its id depends on the record and its group alone, so that consumers recognise a repeated one. */
export function deadLetterOf<Payload extends object>(
  topic: string,
  group: string,
  { record: { id, key, position, appendedAt, sequence }, text }: ReadRecord<Payload>,
  reason: string,
  attempts: number,
): EncodedEvent {
  const deadLetter: DeadLetter = { group, reason, attempts, id, key, position, appendedAt, payload: text, sequence };
  return {
    id: createHash('sha256')
      .update(JSON.stringify([topic, group, position]))
      .digest('base64url'),
    key,
    payload: JSON.stringify(deadLetter),
  };
}

/** Lists and requeues dead letters. Errors are the driver's own, `unavailable`, or those of appending. */
export class PostgresDeadLetters implements DeadLetters {
  constructor(
    private readonly session: () => Promise<Session>,
    private readonly append: (topic: Topic, events: readonly EncodedEvent[]) => Promise<void>,
  ) {}

  async deadLetters(topic: Topic, limit = DEAD_LETTERS_LISTED): Promise<DeadLetter[]> {
    const stored = await this.read(deadTopicOf(topic).topic, 0, limit);
    return stored.map(({ deadLetter }) => deadLetter);
  }

  async requeueDead(topic: Topic, { ids, limit = DEAD_LETTERS_REQUEUED }: RequeueOptions = {}): Promise<number> {
    const { topic: deadTopic } = deadTopicOf(topic);
    const wanted = ids && new Set(ids);
    let requeued = 0;
    let position = 0;
    while (requeued < limit) {
      const page = await this.read(deadTopic, position, PAGE);
      if (page.length === 0) break;
      position = page.at(-1)!.position;
      const chosen = page.filter(({ deadLetter }) => !wanted || wanted.has(deadLetter.id)).slice(0, limit - requeued);
      if (chosen.length === 0) continue;
      await this.append(topic, originalsOf(chosen));
      await this.remove(deadTopic, chosen);
      requeued += chosen.length;
    }
    return requeued;
  }

  private async read(deadTopic: string, position: number, limit: number): Promise<StoredDeadLetter[]> {
    const session = await this.session();
    const rows = await session.query<[string, string]>(FIND, [deadTopic, position, limit]);
    return rows.map(([at, text]) => ({ position: Number(at), deadLetter: JSON.parse(text) as DeadLetter }));
  }

  private async remove(deadTopic: string, stored: readonly StoredDeadLetter[]): Promise<void> {
    const session = await this.session();
    await session.query(REMOVE, [deadTopic, stored.map(({ position }) => position)]);
  }
}
