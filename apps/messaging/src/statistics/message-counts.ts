import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { Injectable } from '@nestjs/common';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { STATISTICS_RETENTION_MS } from '@tidings/contracts/messaging/statistics';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { Timers } from '@tidings/runtime/timers';
import { hasReached, type StatusChange } from '../record/derive-status';
import { deleteInSteps } from '../record/sql';
import { bucketOf } from './latency-buckets';
import { type MinuteCount, MinuteCounts } from './minute-counts';

/** Counters of a row; of delivered messages there is one for each bucket of their latency, from `DELIVERED` on. */
export const COUNTERS = { accepted: 0, failed: 1, delivered: 2 } as const;

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

const FAILED: readonly MessageStatus[] = ['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED'];

/** Counts messages per minute, for statistics: accepted ones, and those that were delivered or failed, at the time of it. */
@Injectable()
export class MessageCounts extends MinuteCounts {
  constructor(
    private readonly database: Database,
    timers: Timers,
  ) {
    super(timers);
  }

  countAccepted(workspaceId: string, atMs: number): void {
    this.add(workspaceId, '', atMs, COUNTERS.accepted);
  }

  countChange({ workspaceId, before, after, atMs, sinceMs }: StatusChange): void {
    const isDelivered = hasReached(after, 'DELIVERED') && (before === undefined || !hasReached(before, 'DELIVERED'));
    if (isDelivered) this.add(workspaceId, '', atMs, COUNTERS.delivered + bucketOf(atMs - sinceMs));
    else if (FAILED.includes(after) && (before === undefined || !FAILED.includes(before))) this.add(workspaceId, '', atMs, COUNTERS.failed);
  }

  protected store(counted: readonly MinuteCount[]) {
    return this.database.execute(ADD, columnsOf(counted, 'workspaceId', 'minute', 'counter', 'count'));
  }
}
