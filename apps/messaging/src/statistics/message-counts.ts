import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { STATISTICS_RETENTION_MS } from '@tidings/contracts/messaging/statistics';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { isMissingTable, reasonOf } from '@tidings/persistence/errors';
import { type Timer, Timers } from '@tidings/runtime/timers';
import { hasReached, type StatusChange } from '../record/derive-status';
import { deleteInSteps } from '../record/sql';
import { bucketOf } from './latency-buckets';

/** Counters of a row; of delivered messages there is one for each bucket of their latency, from `DELIVERED` on. */
export const COUNTERS = { accepted: 0, failed: 1, delivered: 2 } as const;

/** Counts are written this long after the first. */
const FLUSH_MS = 5_000;
/** Counts of different minutes, workspaces and counters that wait while the database is unavailable; more are dropped. */
const WAITING_MAX = 100_000;
/** Rows of one step, a transaction of its own. */
const STEP_ROWS = 5_000;

// SQL because counts of all processes are added to the same rows, locked in one order, and removed in steps.
const ADD = statement(
  'messaging.add_message_minutes',
  `insert into message_minutes (workspace_id, minute, counter, count)
   select * from unnest($1::uuid[], $2::integer[], $3::smallint[], $4::integer[]) as input (workspace_id, minute, counter, count)
    order by workspace_id, minute, counter
   on conflict (workspace_id, minute, counter) do update set count = message_minutes.count + excluded.count`,
);
const REMOVE = statement(
  'messaging.remove_message_minutes',
  `delete from message_minutes where (workspace_id, minute, counter) in (
     select workspace_id, minute, counter from message_minutes where minute < $1 limit ${STEP_ROWS} for update skip locked)`,
);

/** Removes counts that are older than they are stored. */
export async function removeOldCounts(database: Database, nowMs: number, stopping: () => boolean): Promise<void> {
  const oldest = Math.floor((nowMs - STATISTICS_RETENTION_MS) / MINUTE_MS);
  await deleteInSteps(database, REMOVE, [oldest], { rows: STEP_ROWS, stopping });
}

interface Count {
  readonly workspaceId: string;
  readonly minute: number;
  readonly counter: number;
  count: number;
}

const FAILED: readonly MessageStatus[] = ['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED'];

/**
 * Counts messages per minute, for statistics: accepted ones, and those that were delivered or failed, at the time of it. A process adds its
 * counts every few seconds, so those of a process that crashes may be missing.
 */
@Injectable()
export class MessageCounts {
  private readonly logger = new Logger(MessageCounts.name);
  private waiting = new Map<string, Count>();
  private timer: Timer | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly timers: Timers,
  ) {}

  countAccepted(workspaceId: string, atMs: number): void {
    this.add(workspaceId, atMs, COUNTERS.accepted, 1);
  }

  countChange({ workspaceId, before, after, atMs, sinceMs }: StatusChange): void {
    const isDelivered = hasReached(after, 'DELIVERED') && (before === undefined || !hasReached(before, 'DELIVERED'));
    if (isDelivered) this.add(workspaceId, atMs, COUNTERS.delivered + bucketOf(atMs - sinceMs), 1);
    else if (FAILED.includes(after) && (before === undefined || !FAILED.includes(before))) this.add(workspaceId, atMs, COUNTERS.failed, 1);
  }

  /** Writes what was counted. Never rejects: what cannot be written now is written later. The last call of a process comes before it. */
  flush(): Promise<void> {
    this.timers.clear(this.timer);
    this.timer = undefined;
    const counted = [...this.waiting.values()];
    this.waiting = new Map();
    if (counted.length > 0) this.flushing = this.flushing.then(() => this.write(counted));
    return this.flushing;
  }

  private add(workspaceId: string, atMs: number, counter: number, count: number) {
    this.timer ??= this.timers.setTimeout(() => void this.flush(), FLUSH_MS).unref();
    const minute = Math.floor(atMs / MINUTE_MS);
    const name = `${workspaceId} ${minute} ${counter}`;
    const found = this.waiting.get(name);
    if (found) found.count += count;
    else if (this.waiting.size < WAITING_MAX) this.waiting.set(name, { workspaceId, minute, counter, count });
  }

  private async write(counted: readonly Count[]) {
    try {
      await this.database.execute(ADD, columnsOf(counted, 'workspaceId', 'minute', 'counter', 'count'));
    } catch (error) {
      // While the schema is of the version before there is nowhere to count.
      if (isMissingTable(error)) return;
      if (!isTransientServiceError(error)) return this.logger.warn(`Counting messages failed: ${reasonOf(error)}`);
      for (const { workspaceId, minute, counter, count } of counted) this.add(workspaceId, minute * MINUTE_MS, counter, count);
    }
  }
}
