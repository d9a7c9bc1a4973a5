import { Logger } from '@nestjs/common';
import { reasonOf, toDatabaseError } from '@tidings/persistence/errors';
import { type Statement, statement } from '@tidings/persistence/statement';
import { setTimeout as delay } from 'node:timers/promises';
import { type BatchHandling, handleBatch, BatchInterrupted } from '../handle-batch';
import type { Subscription } from '../event-log';
import { drain } from '../drain';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { type AppendNotifier, HighWatermark } from './append-notifier';
import type { SharedConnection } from './shared-connection';
import type { GroupLock, GroupLocks } from './group-lock';
import { PositionCommitter } from './position-committer';
import { readRecords } from './records';

const RETRY_DELAY_MS_MAX = 2_000;

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

const logger = new Logger('EventLog');

interface ConsumptionOptions<Payload extends object> extends Omit<BatchHandling<Payload>, 'onHandled' | 'stopping' | 'revoked'> {
  /** `topic/group`, for log lines. */
  name: string;
  topicId: number;
  groupId: number;
  maxBatch: number;
  connection: SharedConnection;
  groupLocks: GroupLocks;
  notifier: AppendNotifier;
  /** Longest pause between two reads without an announcement, in ms. */
  pollIntervalMs: number;
}

/** A member of a group: works while it has the group lock, stands by while another member has it. */
export class Consumption<Payload extends object> implements Subscription {
  private readonly highWatermark = new HighWatermark();
  private readonly stopping = new AbortController();
  private readonly abandoned = new AbortController();
  private readonly working: Promise<void>;
  private stopped?: Promise<void>;
  private committer?: PositionCommitter;

  constructor(private readonly options: ConsumptionOptions<Payload>) {
    const unlisten = options.notifier.listen(options.topicId, this.highWatermark.note);
    this.working = this.work().finally(unlisten);
  }

  hasHandledUpTo(time: number): Promise<boolean> {
    return this.check(HANDLED, [Math.floor(time)]);
  }

  hasHandledAll(): Promise<boolean> {
    return this.check(HANDLED_ALL, []);
  }

  private async check(condition: Statement, values: unknown[]): Promise<boolean> {
    const { connection, topicId, groupId } = this.options;
    const session = await connection.session();
    try {
      const [row] = await session.query<[boolean]>(condition, [topicId, this.committer?.handled ?? 0, groupId, ...values]);
      return row![0];
    } catch (error) {
      throw toDatabaseError(error, false);
    }
  }

  stop(): Promise<void> {
    this.stopped ??= this.finish();
    return this.stopped;
  }

  private async finish(): Promise<void> {
    this.stopping.abort();
    await drain(this.options.name, this.working, this.abandoned);
  }

  private async work(): Promise<void> {
    const { groupLocks, groupId, name } = this.options;
    for (let failures = 1; ; failures++) {
      const lock = await groupLocks.acquire(groupId, this.stopping.signal);
      if (!lock) return;
      try {
        await this.workUnder(lock, () => (failures = 0));
      } catch (error) {
        if (lock.session.alive) logger.error(`${name}: reading failed; retrying: ${reasonOf(error)}`);
      } finally {
        await lock.release();
      }
      if (this.stopping.signal.aborted) return;
      await delay(retryDelayMs(failures + 1, RETRY_DELAY_MS_MAX), undefined, { signal: this.stopping.signal }).catch(() => {});
    }
  }

  private async workUnder({ session }: GroupLock, onProgress: () => void): Promise<void> {
    const { topicId, groupId, maxBatch, pollIntervalMs } = this.options;
    this.highWatermark.reset();
    const [row] = await session.query<[string]>(POSITION, [groupId]);
    const committer = new PositionCommitter(session, groupId, Number(row![0]));
    const revoked = AbortSignal.any([session.lost, this.abandoned.signal]);
    const handling: BatchHandling<Payload> = {
      ...this.options,
      stopping: this.stopping.signal,
      revoked,
      onHandled: ({ position }) => committer.advance(Number(position)),
    };
    this.committer = committer;
    try {
      while (!this.stopping.signal.aborted && !revoked.aborted) {
        // A position announced before the read is in its result, or was removed from the log.
        const announced = this.highWatermark.position;
        const { records, complete } = await readRecords<Payload>(session, topicId, committer.handled, maxBatch);
        onProgress();
        if (records.length > 0) await handleBatch(records, handling);
        if (complete)
          await this.highWatermark.waitBeyond(Math.max(announced, committer.handled), pollIntervalMs, revoked, this.stopping.signal);
      }
    } catch (error) {
      if (!(error instanceof BatchInterrupted)) throw error;
    } finally {
      this.committer = undefined;
      await committer.close();
    }
  }
}
