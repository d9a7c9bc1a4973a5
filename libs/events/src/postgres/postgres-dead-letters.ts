import { statement } from '@tidings/persistence/statement';
import {
  DEAD_LETTERS_PAGE,
  type DeadLetterRange,
  type DeadLetters,
  type NewDeadLetter,
  REFERENCE_LENGTH,
  referenceOf,
  type StoredDeadLetter,
} from '../dead-letters';
import type { EncodedEvent } from '../new-event';
import { deadTopicOf, type Topic } from '../topic';
import type { SessionHolder } from './session';

/** Limit of a page in memory; a larger dead letter forms a page of its own. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Dead letters are counted up to this. */
const COUNT_MAX = 50_000;
const POSITION_MAX = '9223372036854775807';

// SQL because dead letters are records of the event log, which has no entity.
const TOPIC = statement('events-dead-topic', 'SELECT id FROM events.topics WHERE name = $1');
/** One that was stored twice counts once. */
const PAGE = statement(
  'events-dead-page',
  `SELECT id, position, appended_at, payload FROM (
     SELECT r.*, sum(pg_column_size(r.payload)) OVER (ORDER BY r.position) - pg_column_size(r.payload) AS before
     FROM (
       SELECT min(position) AS position FROM events.records WHERE topic_id = $1
       GROUP BY id HAVING min(position) > $2 AND min(position) <= $3 ORDER BY 1 LIMIT $4
     ) AS page
     JOIN events.records r ON r.topic_id = $1 AND r.position = page.position
   ) AS measured
   WHERE before < ${PAGE_BYTES_MAX} ORDER BY position`,
);
const FIND = statement(
  'events-dead-find',
  `SELECT DISTINCT ON (id) id, position, appended_at, payload FROM events.records
   WHERE topic_id = $1 AND left(id, ${REFERENCE_LENGTH}) = ANY ($2::text[]) ORDER BY id, position`,
);
const COUNT = statement(
  'events-dead-count',
  `SELECT count(*) FROM (SELECT DISTINCT id FROM events.records WHERE topic_id = $1 LIMIT ${COUNT_MAX}) AS waiting`,
);
const LAST = statement('events-dead-last', 'SELECT position FROM events.records WHERE topic_id = $1 ORDER BY position DESC LIMIT 1');
const POSITIONS = statement(
  'events-dead-positions',
  `SELECT position FROM events.records WHERE topic_id = $1 AND left(id, ${REFERENCE_LENGTH}) = ANY ($2::text[])`,
);
const REMOVE = statement('events-dead-letters-remove', 'SELECT events.remove_dead($1, $2::bigint[])');

type Row = [id: string, position: string, appendedAt: string, payload: string];

/** The dead letters in PostgreSQL: records whose payload is the dead letter. Removes them as the log's owner. */
export class PostgresDeadLetters implements DeadLetters {
  constructor(
    private readonly holder: SessionHolder,
    readonly putBack: (topic: Topic, originals: readonly EncodedEvent[]) => Promise<void>,
  ) {}

  async page(topic: Topic, { after = '0', upTo = POSITION_MAX, limit = DEAD_LETTERS_PAGE }: DeadLetterRange = {}) {
    return (await this.rows(topic, PAGE, [after, upTo, limit])).map(toStored);
  }

  async count(topic: Topic) {
    const found = await this.lookUp(topic);
    return found ? Number(await found.session.value<string>(COUNT, [found.id])) : 0;
  }

  async last(topic: Topic) {
    const found = await this.lookUp(topic);
    return found?.session.value<string | undefined>(LAST, [found.id]);
  }

  async find(topic: Topic, references: readonly string[]) {
    return references.length === 0 ? [] : (await this.rows(topic, FIND, [references])).map(toStored);
  }

  async remove(topic: Topic, references: readonly string[]) {
    const found = await this.lookUp(topic);
    if (!found || references.length === 0) return;
    const positions = await found.session.query<[string]>(POSITIONS, [found.id, references]);
    await found.session.query(REMOVE, [deadTopicOf(topic).topic, positions.map(([position]) => position)]);
  }

  private async rows(topic: Topic, query: typeof PAGE, values: readonly unknown[]) {
    const found = await this.lookUp(topic);
    return found ? found.session.query<Row>(query, [found.id, ...values]) : [];
  }

  /** The dead topic, if it exists. */
  private async lookUp(topic: Topic) {
    const session = await this.holder.session();
    const id = await session.value<number | undefined>(TOPIC, [deadTopicOf(topic).topic]);
    return id === undefined ? undefined : { session, id };
  }
}

function toStored([deadId, cursor, deadAt, text]: Row): StoredDeadLetter {
  const { group, reason, attempts, position, appendedAt, id, key, sequence, payload } = JSON.parse(text) as NewDeadLetter;
  const letter = { reference: referenceOf(deadId), group, reason, attempts, position, appendedAt, deadAt: Number(deadAt), cursor };
  const original = { id, key, payload, ...(sequence !== undefined && { sequence }) };
  return { ...letter, partition: 0, offset: position, id, key, sequence, payload, isVerified: true, original };
}
