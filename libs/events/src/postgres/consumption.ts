import { Logger } from '@nestjs/common';
import { reasonOf, toDatabaseError } from '@tidings/persistence/errors';
import { type Statement, statement } from '@tidings/persistence/statement';
import { setTimeout as delay } from 'node:timers/promises';
import { type Delivery, handleBatch, BatchInterrupted } from '../handle-batch';
import type { Subscription } from '../event-log';
import { drain } from '../drain';
import { retryDelayMs } from '../retry-delay';
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

interface ConsumptionOptions<Payload extends object> extends Omit<Delivery<Payload>, 'onHandled' | 'stopping' | 'left'> {
  /** `topic/group`, for messages. */
  name: string;
  topicId: number;
  groupId: number;
  maxBatch: number;
  line: SharedConnection;
  places: GroupLocks;
  announcements: AppendNotifier;
  /** Reads this often at least, whether anything was announced or not. */
  lookMsMax: number;
}

/** A member of a group: works while it has the group's place, stands by while another has it. */
export class Consumption<Payload extends object> implements Subscription {
  private readonly growth = new HighWatermark();
  private readonly stopping = new AbortController();
  private readonly abandoned = new AbortController();
  private readonly working: Promise<void>;
  private stopped?: Promise<void>;
  private keeper?: PositionCommitter;

  constructor(private readonly options: ConsumptionOptions<Payload>) {
    const unlisten = options.announcements.listen(options.topicId, this.growth.note);
    this.working = this.work().finally(unlisten);
  }

  hasHandledUpTo(time: number): Promise<boolean> {
    return this.ask(HANDLED, [Math.floor(time)]);
  }

  hasHandledAll(): Promise<boolean> {
    return this.ask(HANDLED_ALL, []);
  }

  private async ask(question: Statement, values: unknown[]): Promise<boolean> {
    const { line, topicId, groupId } = this.options;
    const session = await line.now();
    try {
      const [row] = await session.query<[boolean]>(question, [topicId, this.keeper?.handled ?? 0, groupId, ...values]);
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
    const { places, groupId, name } = this.options;
    for (let failures = 1; ; failures++) {
      const place = await places.take(groupId, this.stopping.signal);
      if (!place) return;
      try {
        await this.workAt(place, () => (failures = 0));
      } catch (error) {
        if (place.session.alive) logger.error(`${name}: reading failed and begins anew: ${reasonOf(error)}`);
      } finally {
        await place.leave();
      }
      if (this.stopping.signal.aborted) return;
      await delay(retryDelayMs(failures + 1, RETRY_DELAY_MS_MAX), undefined, { signal: this.stopping.signal }).catch(() => {});
    }
  }

  private async workAt({ session }: GroupLock, onProgress: () => void): Promise<void> {
    const { topicId, groupId, maxBatch, lookMsMax } = this.options;
    this.growth.forget();
    const [row] = await session.query<[string]>(POSITION, [groupId]);
    const keeper = new PositionCommitter(session, groupId, Number(row![0]));
    const left = AbortSignal.any([session.lost, this.abandoned.signal]);
    const delivery: Delivery<Payload> = {
      ...this.options,
      stopping: this.stopping.signal,
      left,
      onHandled: ({ position }) => keeper.advance(Number(position)),
    };
    this.keeper = keeper;
    try {
      while (!this.stopping.signal.aborted && !left.aborted) {
        // What is announced before the reading is in it, or is gone from the log.
        const announced = this.growth.position;
        const { records, complete } = await readRecords<Payload>(session, topicId, keeper.handled, maxBatch);
        onProgress();
        if (records.length > 0) await handleBatch(records, delivery);
        if (complete) await this.growth.beyond(Math.max(announced, keeper.handled), lookMsMax, left, this.stopping.signal);
      }
    } catch (error) {
      if (!(error instanceof BatchInterrupted)) throw error;
    } finally {
      this.keeper = undefined;
      await keeper.close();
    }
  }
}
