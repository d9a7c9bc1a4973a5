import { Inject, Injectable, Logger } from '@nestjs/common';
import { Sweeper } from '@tidings/jobs/sweeper';
import { advisoryClass } from '@tidings/persistence/advisory';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { orIfMissingTable } from '@tidings/persistence/errors';
import { Clock } from '@tidings/runtime/clock';
import { deleteOldRequestCancellations } from '../actions/request-cancellations';
import { removeExpiredJobs } from '../expand/bulk/expired-jobs';
import { forgetInbound } from '../inbound/inbound-store';
import { forgetReferences } from '../record/provider-references';
import { ensurePartitions } from '../record/partitions';
import { removeUnusedBases } from '../record/rendering-bases';
import { deleteInSteps } from '../record/sql';
import { firstIdAt, firstIdOfWeek } from '../record/weeks';
import { removeOldCounts } from '../statistics/message-counts';
import { removeOldProviderCounts } from '../statistics/provider-counts';
import { removeOldWebhookDeliveries } from '../webhooks/webhook-retention';

/** Tables whose rows are removed together, partitioned alike by message id. */
interface Family {
  /** The main table first. */
  readonly tables: readonly string[];
  /** Deletes of old rows of the main table's default partition, and of orphans in those of the others. */
  readonly sweeps: readonly string[];
}

/** Tables with a row per unfinished message, and their column of its id. */
const OPEN = [
  { table: 'deliveries', column: 'message_id' },
  { table: 'open_messages', column: 'message_id' },
  { table: 'expansions', column: 'request_id' },
];

const notOpen = (id: string) =>
  OPEN.map(({ table, column }) => `not exists (select from ${table} where ${table}.${column} = ${id})`).join(' and ');

/** Rows of one step, a transaction of its own. */
const STEP_ROWS = 1_000;
/** Steps of one round; the rest waits for the next. */
const STEPS_MAX = 2_000;
/** Other queries of a table queue behind a waiting exclusive lock, so its wait is short. */
const LOCK_WAIT_MS = 1_000;

const MESSAGES: Family = {
  tables: ['messages', 'message_terms'],
  sweeps: [
    `delete from messages_default where (workspace_id, id) in (
       select workspace_id, id from messages_default where id < $1 and ${notOpen('messages_default.id')}
        order by workspace_id, id limit ${STEP_ROWS} for update skip locked)`,
    `delete from message_terms_default where (workspace_id, term, archived, id) in (
       select workspace_id, term, archived, id from message_terms_default
        where id < $1 and not exists (
          select from messages where messages.workspace_id = message_terms_default.workspace_id and messages.id = message_terms_default.id)
        order by workspace_id, term, archived, id limit ${STEP_ROWS} for update skip locked)`,
  ],
};

const HISTORY: Family = {
  tables: ['history'],
  sweeps: [
    `delete from history_default where (message_id, number) in (
       select message_id, number from history_default where message_id < $1 and ${notOpen('history_default.message_id')}
        order by message_id, number limit ${STEP_ROWS} for update skip locked)`,
  ],
};

// SQL because it reads PostgreSQL's catalog, and removes a week by its partition instead of its rows.
const TRY_LOCK = statement('messaging.try_retention', 'select pg_try_advisory_xact_lock($1, 0) as locked');
const LOCK_CLASS = advisoryClass('retention', 'messaging');
const LIMIT_WAIT = statement('messaging.retention_lock_wait', `select set_config('lock_timeout', $1, true)`);
const PARTITIONS = statement(
  'messaging.partitions',
  `select child.relname as name from pg_inherits join pg_class as child on child.oid = inhrelid where inhparent = any($1::text[]::regclass[])`,
);
const HAS_OPEN = statement(
  'messaging.week_has_open',
  `select ${OPEN.map(({ table, column }) => `exists (select from ${table} where ${column} >= $1 and ${column} < $2)`).join(' or ')} as has_open`,
);
const DETACHED = statement(
  'messaging.detached_partitions',
  `select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and not relispartition and relname ~ ('^' || $1 || '_w[0-9]+$')`,
);

/** Weeks with a partition, the oldest first. */
async function weeksOf(database: Queryable, { tables }: Family) {
  const rows = await database.query<{ name: string }>(PARTITIONS, [tables]);
  const weeks = new Set(rows.flatMap(({ name }) => /_w(\d+)$/.exec(name)?.[1] ?? []).map(Number));
  return [...weeks].sort((one, other) => one - other);
}

/**
 * Detaches the partitions of a week and drops them. Detaching locks the tables for an instant, in which no message of the week can be
 * inserted or opened; dropping may take long for large files and blocks no query.
 * @returns `open` where one of its messages is not finished, `elsewhere` where another process removes weeks now
 * @throws DatabaseUnavailable where the tables could not be locked within a second
 */
async function dropWeek(database: Database, family: Family, week: number) {
  const outcome = await database.transaction(async (tx) => {
    const [lock] = await tx.query<{ locked: boolean }>(TRY_LOCK, [LOCK_CLASS]);
    if (!lock!.locked) return 'elsewhere';
    await tx.query(LIMIT_WAIT, [String(LOCK_WAIT_MS)]);
    await tx.query(`lock table ${family.tables.join(', ')} in access exclusive mode`);
    const [row] = await tx.query<{ has_open: boolean }>(HAS_OPEN, [firstIdOfWeek(week), firstIdOfWeek(week + 1)]);
    if (row!.has_open) return 'open';
    // A partition that another process has just detached may be dropped at the same time.
    const attached = new Set((await tx.query<{ name: string }>(PARTITIONS, [family.tables])).map(({ name }) => name));
    for (const table of family.tables) {
      if (attached.has(`${table}_w${week}`)) await tx.query(`alter table ${table} detach partition ${table}_w${week}`);
    }
    return 'dropped';
  });
  if (outcome === 'dropped') await dropDetached(database, family);
  return outcome;
}

/** Drops detached partitions, also those of a process that ended before dropping. Names consist of table names and numbers. */
async function dropDetached(database: Database, { tables }: Family) {
  for (const table of tables) {
    for (const { name } of await database.query<{ name: string }>(DETACHED, [table])) await database.query(`drop table if exists ${name}`);
  }
}

/** Removes rows below `oldest` from the default partitions: they were inserted when their week had no partition. */
async function sweepDefault(database: Database, { sweeps }: Family, oldest: string, stopping: () => boolean) {
  for (const text of sweeps) await deleteInSteps(database, text, [oldest], { rows: STEP_ROWS, stepsMax: STEPS_MAX, stopping });
}

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;

/** Retention times in ms, counted from the acceptance of a message. */
export interface RetentionTimes {
  messagesMs: number;
  /** Histories, which include the content. */
  historyMs: number;
}

/** Injects the `RetentionTimes` of the process. */
export const RETENTION_TIMES = Symbol('RetentionTimes');

export const RETENTION_DEFAULT: RetentionTimes = { messagesMs: YEAR_MS, historyMs: 90 * DAY_MS };

/** First round: soon after the start, but after the first requests. */
const FIRST_MS = 10_000;
const INTERVAL_MS = DAY_MS;
/** Pause after a failed round, such as one without a lock. */
const RETRY_MS = 600_000;

const logger = new Logger('Retention');

/**
 * Creates the partitions of the coming weeks and removes expired data: whole weeks, by their partitions, once all of a week has expired and
 * none of its messages is open. Every process runs rounds; a lock admits one at a time.
 */
@Injectable()
export class Retention extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(RETENTION_TIMES) private readonly times: RetentionTimes,
  ) {
    super({
      queue: 'messaging.retention',
      what: 'Removing expired data',
      intervalMs: INTERVAL_MS,
      firstMs: FIRST_MS,
      retryMs: RETRY_MS,
      stepsMax: 1,
    });
  }

  protected async step(): Promise<boolean> {
    await ensurePartitions(this.database, this.clock.now());
    await this.enforce();
    return true;
  }

  /** Removes everything that has expired. Rejects with `unavailable` where a table could not be locked. */
  async enforce(): Promise<void> {
    const now = this.clock.now();
    const { messagesMs, historyMs } = this.times;
    const historyFrom = now - Math.min(historyMs, messagesMs);
    await this.removeBefore(HISTORY, historyFrom);
    await removeUnusedBases(this.database, historyFrom, () => this.stopping);
    await this.removeBefore(MESSAGES, now - messagesMs);
    await forgetInbound(this.database, now, () => this.stopping);
    await removeOldWebhookDeliveries(this.database, now, () => this.stopping);
    await deleteOldRequestCancellations(this.database, now - messagesMs, () => this.stopping);
    await orIfMissingTable(
      forgetReferences(this.database, now - messagesMs, () => this.stopping),
      undefined,
    );
    await orIfMissingTable(
      removeOldCounts(this.database, now, () => this.stopping),
      undefined,
    );
    await orIfMissingTable(
      removeOldProviderCounts(this.database, now, () => this.stopping),
      undefined,
    );
    await removeExpiredJobs(this.database, now - messagesMs, () => this.stopping);
  }

  private async removeBefore(family: Family, sinceMs: number) {
    await dropDetached(this.database, family);
    const oldest = firstIdAt(Math.max(0, sinceMs));
    const names = family.tables.join(' and ');
    for (const week of await weeksOf(this.database, family)) {
      if (this.stopping || firstIdOfWeek(week + 1) > oldest) break;
      const outcome = await dropWeek(this.database, family, week);
      if (outcome === 'dropped') logger.log(`Removed week ${week} of ${names}`);
      if (outcome === 'open') logger.log(`Week ${week} of ${names} stays: some of its messages are still open`);
      if (outcome === 'elsewhere') return; // another process removes weeks
    }
    if (!this.stopping) await sweepDefault(this.database, family, oldest, () => this.stopping);
  }
}
