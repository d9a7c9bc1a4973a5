import { Logger } from '@nestjs/common';
import { ProgressCommitter } from '@tidings/kafka/progress-committer';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import type { GroupSource, SourceBatch } from '../consumption';
import { InOrder } from './in-order';
import { type AppendNotifier, HighWatermark } from './append-notifier';
import { acquireGroupLock } from './group-lock';
import { type RecordPage, readRecords } from './records';
import type { Session } from './session';
import type { SharedConnection } from './shared-connection';

/** At most one commit in this time. */
const COMMIT_INTERVAL_MS = 100;

// SQL because positions are written on the connection that has the group lock, outside TypeORM.
const POSITION = statement(
  'events-group-position',
  'SELECT position, given_to, (SELECT last_value FROM events.position) FROM events.groups WHERE id = $1',
);
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

/** Positions are those of all topics, so the records are counted, up to a bound. */
const LAG_MAX = 10_000;
const LAG = statement(
  'events-group-lag',
  `SELECT count(*)::int FROM (
     SELECT FROM events.records
     WHERE topic_id = $1 AND position > (SELECT position FROM events.groups WHERE id = $2) LIMIT ${LAG_MAX}
   ) AS behind`,
);

const COMMIT = statement('events-group-commit', 'UPDATE events.groups SET position = $2 WHERE id = $1');
/** Durable when it is answered, although commits of this connection are not. */
const GIVE = statement(
  'events-group-give',
  `UPDATE events.groups SET given_to = $2 WHERE id = $1 RETURNING set_config('synchronous_commit', 'on', true)`,
);
/** As many positions are noted as given before they are, so that few batches need a commit of their own. */
const GIVEN_AHEAD = 1_000;

const logger = new Logger('EventLog');

/** The records of a topic for the member that has the group lock; the others wait for it. */
export class PostgresGroupSource implements GroupSource {
  /** This member has handled everything up to this position; 0 while another one has the lock. */
  private handled = 0;
  private committed = 0;
  /** The committed position up to which records may be given to the handler. */
  private givenTo = 0;

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

  async lag() {
    const session = await this.reader.connection.session();
    return session.value<number>(LAG, [this.reader.topicId, this.groupId]);
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
    const aloneSinceMs = Date.now();
    const settling = new InOrder();
    let isOver = false;
    try {
      const [row] = await session.query<[position: string, givenTo: string | null, last: string]>(POSITION, [this.groupId]);
      const [position, givenTo, last] = row!;
      const givenBefore = Number(givenTo ?? last);
      this.handled = this.committed = Number(position);
      this.givenTo = Number(givenTo ?? 0);
      let read = this.handled;
      const onHandled: SourceBatch['onHandled'] = (record, settled) => {
        const handled = (read = Number(record.position));
        settling.add(settled, () => {
          if (isOver) return;
          this.handled = handled;
          committer.schedule();
        });
      };
      for await (const { records } of this.reader.follow(session, () => read, this.maxBatch, stopping)) {
        if (records.length > 0) await this.give(session, Number(records.at(-1)!.record.position));
        yield { records, onHandled, revoked, given: { isFirst: Number(records[0]?.record.position) > givenBefore, aloneSinceMs } };
      }
    } catch (error) {
      // The loss of the connection is logged there.
      if (session.alive) throw error;
    } finally {
      const isDrained = await settling.drained(revoked);
      await committer.flush();
      // What was given is handled, or will be delivered again without a trace: nothing of it is in progress.
      if (isDrained && session.alive && this.givenTo > this.handled)
        await session.query(GIVE, [this.groupId, this.handled]).catch(() => {});
      isOver = true;
      this.handled = this.committed = 0;
      await lock.release();
    }
  }

  async leave() {}

  /** Resolves when it is noted that the records up to `position` may be given to the handler. */
  private async give(session: Session, position: number) {
    if (position <= this.givenTo) return;
    await session.query(GIVE, [this.groupId, position + GIVEN_AHEAD]);
    this.givenTo = position + GIVEN_AHEAD;
  }

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
