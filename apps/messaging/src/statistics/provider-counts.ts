import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { orIfMissingTable } from '@tidings/persistence/errors';
import { Timers } from '@tidings/runtime/timers';
import { deleteInSteps } from '../record/sql';
import { bucketOf, percentile } from './latency-buckets';
import { type MinuteCount, MinuteCounts } from './minute-counts';

/** Failed calls have a counter of their own; beside it, every call has one of the bucket of its duration. */
const FAILED = 0;
const FIRST_BUCKET = 1;

/** The minutes whose calls are summed up, the present one included. */
const MINUTES = 5;
const RETENTION_MINUTES = 60;
/** Rows of one step, a transaction of its own. */
const STEP_ROWS = 5_000;

// SQL because counts of all processes are added to the same rows, locked in one order, summed up by the database, and removed in steps.
const ADD = statement(
  'messaging.add_provider_minutes',
  `insert into provider_minutes (workspace_id, provider_id, minute, counter, count)
   select * from unnest($1::uuid[], $2::text[], $3::integer[], $4::smallint[], $5::integer[])
     as input (workspace_id, provider_id, minute, counter, count)
    order by workspace_id, provider_id, minute, counter
   on conflict (workspace_id, provider_id, minute, counter) do update set count = provider_minutes.count + excluded.count`,
);
const SUM = statement(
  'messaging.sum_provider_minutes',
  `select provider_id as "providerId", counter, sum(count)::float8 as count
     from provider_minutes where workspace_id = $1 and minute > $2
    group by provider_id, counter`,
);
const REMOVE = statement(
  'messaging.remove_provider_minutes',
  `delete from provider_minutes where (workspace_id, provider_id, minute, counter) in (
     select workspace_id, provider_id, minute, counter from provider_minutes where minute < $1 limit ${STEP_ROWS} for update skip locked)`,
);

/** Removes counts that are older than they are stored. */
export function removeOldProviderCounts(database: Database, nowMs: number, stopping: () => boolean): Promise<void> {
  const oldest = Math.floor(nowMs / MINUTE_MS) - RETENTION_MINUTES;
  return deleteInSteps(database, REMOVE, [oldest], { rows: STEP_ROWS, stopping });
}

/** Calls of a provider in the last five minutes, in all processes. */
export interface RecentCalls {
  calls: number;
  failed: number;
  /** Ms that 99 of 100 calls do not exceed. */
  p99Ms?: number;
}

/** Counts the calls of providers per minute, by workspace and configuration. */
@Injectable()
export class ProviderCounts extends MinuteCounts {
  constructor(
    private readonly database: Database,
    timers: Timers,
  ) {
    super(timers);
  }

  /** @param providerId of the configuration. @param atMs the end of the call. */
  countCall(workspaceId: string, providerId: string, call: { atMs: number; durationMs: number; isFailed: boolean }): void {
    this.add(workspaceId, providerId, call.atMs, FIRST_BUCKET + bucketOf(call.durationMs));
    if (call.isFailed) this.add(workspaceId, providerId, call.atMs, FAILED);
  }

  /** The recent calls of a workspace, by the id of the configuration; of one without calls there is none. */
  async recent(workspaceId: string, nowMs: number): Promise<Map<string, RecentCalls>> {
    const since = Math.floor(nowMs / MINUTE_MS) - MINUTES;
    const rows = await orIfMissingTable(
      this.database.query<{ providerId: string; counter: number; count: number }>(SUM, [workspaceId, since]),
      [],
    );
    const ids = new Set(rows.map(({ providerId }) => providerId));
    return new Map([...ids].map((id) => [id, toRecentCalls(rows.filter(({ providerId }) => providerId === id))]));
  }

  protected store(counted: readonly MinuteCount[]) {
    return this.database.execute(ADD, columnsOf(counted, 'workspaceId', 'subject', 'minute', 'counter', 'count'));
  }
}

function toRecentCalls(counts: readonly { counter: number; count: number }[]): RecentCalls {
  const failed = counts.find(({ counter }) => counter === FAILED)?.count ?? 0;
  const durations = new Map(counts.flatMap(({ counter, count }) => (counter === FAILED ? [] : [[counter - FIRST_BUCKET, count] as const])));
  const calls = [...durations.values()].reduce((sum, count) => sum + count, 0);
  return { calls, failed, p99Ms: percentile(durations, 0.99) };
}
