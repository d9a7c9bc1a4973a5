import { toDatabaseError } from '@tidings/persistence/errors';
import { type Statement, statement } from '@tidings/persistence/statement';
import type { GroupSource, SourceBatch } from '../consumption';
import type { GroupLocks } from './group-lock';
import { PositionCommitter } from './position-committer';
import type { TopicReader } from './topic-reader';

const POSITION = statement('events-group-position', 'SELECT position FROM events.groups WHERE id = $1');
const HANDLED = statement(
  'events-group-handled',
  `SELECT $4::bigint < floor(extract(epoch FROM clock_timestamp()) * 1000) AND NOT EXISTS (
     SELECT FROM (
       SELECT appended_at FROM events.records
       WHERE topic_id = $1 AND position > greatest($2::bigint, (SELECT position FROM events.groups WHERE id = $3))
       ORDER BY position LIMIT 1
     ) AS next WHERE next.appended_at <= $4::bigint
   )`,
);

const HANDLED_ALL = statement(
  'events-group-handled-all',
  `SELECT NOT EXISTS (
     SELECT FROM events.records
     WHERE topic_id = $1 AND position > greatest($2::bigint, (SELECT position FROM events.groups WHERE id = $3))
   )`,
);

/** The records of a topic for the member that has the group lock; the others wait for it. */
export class PostgresGroupSource<Payload extends object> implements GroupSource<Payload> {
  private committer?: PositionCommitter;

  constructor(
    readonly name: string,
    private readonly reader: TopicReader,
    private readonly groupLocks: GroupLocks,
    private readonly groupId: number,
    private readonly maxBatch: number,
  ) {}

  hasHandledUpTo(time: number): Promise<boolean> {
    return this.check(HANDLED, [Math.floor(time)]);
  }

  hasHandledAll(): Promise<boolean> {
    return this.check(HANDLED_ALL, []);
  }

  private async check(condition: Statement, values: unknown[]): Promise<boolean> {
    const session = await this.reader.connection.session();
    try {
      const [row] = await session.query<[boolean]>(condition, [this.reader.topicId, this.committer?.handled ?? 0, this.groupId, ...values]);
      return row![0];
    } catch (error) {
      throw toDatabaseError(error, false);
    }
  }

  async *batches(stopping: AbortSignal, abandoned: AbortSignal): AsyncGenerator<SourceBatch<Payload>> {
    const { groupId } = this;
    const lock = await this.groupLocks.acquire(groupId, stopping);
    if (!lock) return;
    const { session } = lock;
    const revoked = AbortSignal.any([session.lost, abandoned]);
    try {
      const [row] = await session.query<[string]>(POSITION, [groupId]);
      const committer = new PositionCommitter(session, groupId, Number(row![0]));
      this.committer = committer;
      const onHandled: SourceBatch<Payload>['onHandled'] = ({ position }) => committer.advance(Number(position));
      for await (const { records } of this.reader.follow<Payload>(session, () => committer.handled, this.maxBatch, stopping)) {
        yield { records, onHandled, revoked };
      }
    } catch (error) {
      // The loss of the connection is logged there.
      if (session.alive) throw error;
    } finally {
      const { committer } = this;
      this.committer = undefined;
      await committer?.close();
      await lock.release();
    }
  }

  async leave(): Promise<void> {}
}
