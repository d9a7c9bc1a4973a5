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

/** The topics an instance has used; each is looked up once, created when missing and updated to its definition. */
export class Topics {
  private readonly topics = new Map<string, Promise<StoredTopic>>();

  constructor(private readonly session: () => Promise<Session>) {}

  /** Errors are the driver's own, or `unavailable`. */
  stored(topic: Topic): Promise<StoredTopic> {
    const cached = this.topics.get(topic.topic);
    if (cached) return cached;
    const found = this.ensure(topic);
    this.topics.set(topic.topic, found);
    found.catch(() => this.topics.delete(topic.topic));
    return found;
  }

  /** Resolves when no look-up is in flight. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.topics.values());
  }

  private async ensure({ topic: name, compacted, retentionMs }: Topic): Promise<StoredTopic> {
    const session = await this.session();
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
}
