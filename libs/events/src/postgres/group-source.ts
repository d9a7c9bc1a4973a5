import { Logger } from '@nestjs/common';
import { ProgressCommitter } from '@tidings/kafka/progress-committer';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import type { GroupSource, SourceBatch } from '../consumption';
import { type AppendNotifier, HighWatermark } from './append-notifier';
import { acquireGroupLock } from './group-lock';
import { type RecordPage, readRecords } from './records';
import type { Session } from './session';
import type { SharedConnection } from './shared-connection';

/** At most one commit in this time. */
const COMMIT_INTERVAL_MS = 100;

// SQL because positions are written on the connection that has the group lock, outside TypeORM.
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

const COMMIT = statement('events-group-commit', 'UPDATE events.groups SET position = $2 WHERE id = $1');

const logger = new Logger('EventLog');

/** The records of a topic for the member that has the group lock; the others wait for it. */
export class PostgresGroupSource implements GroupSource {
  /** This member has handled everything up to this position; 0 while another one has the lock. */
  private handled = 0;
  private committed = 0;

  constructor(
    readonly name: string,
    private readonly reader: TopicReader,
    private readonly groupId: number,
    private readonly maxBatch: number,
  ) {}

  async hasHandledUpTo(time: number) {
    const session = await this.reader.connection.session();
    return session.value<boolean>(HANDLED, [this.reader.topicId, this.handled, this.groupId, Math.floor(time)]);
  }

  async *batches(stopping: AbortSignal, abandoned: AbortSignal) {
    const lock = await acquireGroupLock(this.reader.connection, this.groupId, stopping);
    if (!lock) return;
    const { session } = lock;
    const revoked = AbortSignal.any([session.lost, abandoned]);
    const committer = new ProgressCommitter(
      COMMIT_INTERVAL_MS,
      () => this.commit(session),
      (error) => {
        // A lost connection loses the group lock too, and the records are delivered again.
        if (session.alive) logger.warn(`Committing the position of ${this.name} failed: ${reasonOf(error)}`);
      },
    );
    try {
      this.handled = this.committed = Number(await session.value<string>(POSITION, [this.groupId]));
      const onHandled: SourceBatch['onHandled'] = ({ position }) => {
        this.handled = Number(position);
        committer.schedule();
      };
      for await (const { records } of this.reader.follow(session, () => this.handled, this.maxBatch, stopping)) {
        yield { records, onHandled, revoked };
      }
    } catch (error) {
      // The loss of the connection is logged there.
      if (session.alive) throw error;
    } finally {
      await committer.flush();
      this.handled = this.committed = 0;
      await lock.release();
    }
  }

  async leave() {}

  /** Commits over the connection that has the group lock, so a member that lost the lock cannot write. */
  private async commit(session: Session) {
    const { handled } = this;
    if (handled === this.committed || !session.alive) return;
    await session.query(COMMIT, [this.groupId, handled]);
    this.committed = handled;
  }
}

/** Reads a topic as it grows, for a group or a broadcast, on a connection of the caller's. */
export class TopicReader {
  constructor(
    readonly topicId: number,
    readonly connection: SharedConnection,
    private readonly notifier: AppendNotifier,
    /** Longest pause between two reads without an announcement, in ms. */
    private readonly pollIntervalMs: number,
  ) {}

  /**
   * The records beyond `position()`, page by page, until the session is lost or `ended` aborts. After the last record it waits until
   * more is announced. @throws as `Session.query` does.
   */
  async *follow(session: Session, position: () => number, limit: number, ended: AbortSignal): AsyncGenerator<RecordPage> {
    // Of this session: after a crash the server may reuse positions it had announced.
    const highWatermark = new HighWatermark();
    const over = AbortSignal.any([session.lost, ended]);
    const unlisten = this.notifier.listen(this.topicId, highWatermark.note);
    try {
      while (!over.aborted) {
        // A position announced before the read is in its result, or was removed from the log.
        const announced = highWatermark.position;
        const page = await readRecords(session, this.topicId, position(), limit);
        yield page;
        if (page.complete) await highWatermark.waitBeyond(Math.max(announced, position()), this.pollIntervalMs, over);
      }
    } finally {
      unlisten();
    }
  }
}
