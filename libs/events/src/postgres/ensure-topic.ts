import { statement } from '@tidings/persistence/statement';
import type { Topic } from '../topic';
import type { Session } from './session';

/** Another process may create the topic, or delete and create it, between two statements; each collision makes progress. */
const ATTEMPTS_MAX = 5;

const FIND = statement('events-topic-find', 'SELECT id, compacted, retention_ms FROM events.topics WHERE name = $1');
const CREATE = statement(
  'events-topic-create',
  'INSERT INTO events.topics (name, compacted, retention_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
);
const CHANGE = statement('events-topic-change', 'UPDATE events.topics SET compacted = $2, retention_ms = $3 WHERE name = $1');

/** A topic that exists in the database. */
export interface StoredTopic {
  readonly id: number;
  readonly compacted: boolean;
}

/** Creates a topic that is missing, and updates an existing one to its definition. Errors are the driver's own. */
export async function ensureTopic(session: Session, { topic: name, compacted, retentionMs }: Topic): Promise<StoredTopic> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const [row] = await session.query<[number, boolean, string | null]>(FIND, [name]);
    if (row) {
      const [id, isCompacted, retention] = row;
      const current = isCompacted === compacted && (retention === null ? null : Number(retention)) === retentionMs;
      if (!current) await session.query(CHANGE, [name, compacted, retentionMs]);
      return { id, compacted };
    }
    await session.query(CREATE, [name, compacted, retentionMs]);
  }
  throw new Error(`Topic ${name} was not created in ${ATTEMPTS_MAX} attempts`);
}
