import { statement } from '@tidings/persistence/statement';
import type { Topic } from '../topic';
import type { Session } from './session';

/** Others may make the same topic, or remake it, between two statements; each such collision makes progress. */
const ATTEMPTS_MAX = 5;

const FIND = statement('events-topic-find', 'SELECT id, compacted, retention_ms FROM events.topics WHERE name = $1');
const MAKE = statement(
  'events-topic-make',
  'INSERT INTO events.topics (name, compacted, retention_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
);
const CHANGE = statement('events-topic-change', 'UPDATE events.topics SET compacted = $2, retention_ms = $3 WHERE name = $1');

/** A topic as the database knows it. */
export interface StoredTopic {
  readonly id: number;
  readonly compacted: boolean;
}

/** The topics an instance has used; each is looked up once, made when it is new and brought up to its definition. */
export class Topics {
  private readonly known = new Map<string, Promise<StoredTopic>>();

  constructor(private readonly session: () => Promise<Session>) {}

  /** Errors are the driver's own, or `unavailable`. */
  stored(topic: Topic): Promise<StoredTopic> {
    const known = this.known.get(topic.topic);
    if (known) return known;
    const found = this.ensure(topic);
    this.known.set(topic.topic, found);
    found.catch(() => this.known.delete(topic.topic));
    return found;
  }

  /** Resolves when no look-up is on its way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.known.values());
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
      await session.query(MAKE, [name, compacted, retentionMs]);
    }
    throw new Error(`Topic ${name} could not be made`);
  }
}
