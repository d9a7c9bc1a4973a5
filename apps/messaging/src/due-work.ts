import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LANES } from '@tidings/contracts/messaging/targets';
import { Database, statement } from '@tidings/persistence/database';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import type { Backlog } from '@tidings/runtime/status-handlers';
import { laneNumber, laneOf } from './record/step-store';

/** Each read costs a statement. */
const INTERVAL_MS = 5_000;
/** Due rows of each table that are counted, the oldest first. */
const COUNTED_MAX = 10_000;

// SQL because each table is read through its index on `due_at`, up to a bound.
const dueIn = (table: string, condition = '') =>
  `(select lane, due_at from ${table} where due_at <= (select clock_timestamp()) ${condition} order by due_at limit ${COUNTED_MAX})`;
const DUE = statement(
  'messaging.due_work',
  `select lane, count(*)::int as due, extract(epoch from clock_timestamp() - min(due_at))::float8 as age
   from (
     ${dueIn('deliveries')}
     union all ${dueIn('open_messages', "and stage <> 'long'")}
     union all ${dueIn('open_messages', "and stage = 'long'")}
     union all ${dueIn('expansions')}
   ) as due
   group by lane`,
);

/** The same for one workspace, through the indexes of fair shares: a lane at a time, the oldest first. */
const ofWorkspace = (table: string) =>
  `(select due_at from unnest($2::smallint[]) as lanes (lane) cross join lateral (
      select due_at from ${table} where workspace_id = $1 and lane = lanes.lane and due_at <= (select clock_timestamp())
       order by due_at limit ${COUNTED_MAX}) as due)`;
const DUE_OF_WORKSPACE = statement(
  'messaging.due_work_of_workspace',
  `select least(count(*), ${COUNTED_MAX})::int as waiting, round(extract(epoch from min(due_at)) * 1000)::float8 as "oldestAt"
     from (${['deliveries', 'open_messages', 'expansions'].map(ofWorkspace).join(' union all ')}) as due`,
);

/** What is due and waits in a workspace: up to 10,000, and since when, ms since the epoch. What a process has leased is not due. */
export async function workspaceBacklog(database: Database, workspaceId: string): Promise<{ waiting: number; oldestAt?: number }> {
  const lanes = LANES.map(laneNumber);
  const [row] = await database.query<{ waiting: number; oldestAt: number | null }>(DUE_OF_WORKSPACE, [workspaceId, lanes]);
  return { waiting: row!.waiting, oldestAt: row!.oldestAt ?? undefined };
}

interface DueRow {
  lane: number;
  due: number;
  age: number;
}

/** What is due and waits in the tables. What a process has leased is not due. */
export async function dueBacklog(database: Database): Promise<Backlog> {
  const rows = await database.query<DueRow>(DUE);
  return { count: rows.reduce((sum, { due }) => sum + due, 0), oldestSeconds: Math.max(0, ...rows.map(({ age }) => age)) };
}

/** Shows in the metrics what is due and waits in the tables. What a process has leased is not due. */
@Injectable()
export class DueWork implements OnApplicationBootstrap, OnApplicationShutdown {
  private ends: (() => void)[] = [];
  private reading: Promise<DueRow[]> | undefined;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    const age = async () => (await this.read()).reduce((oldest, row) => Math.max(oldest, row.age), 0);
    const due = async () => (await this.read()).map(({ lane, due: value }) => ({ labels: { lane: laneOf(lane) }, value }));
    this.ends = [metrics.readValue(METRICS.oldestDue, age, INTERVAL_MS), metrics.read(METRICS.backlog, due, INTERVAL_MS)];
  }

  onApplicationShutdown(): void {
    for (const end of this.ends) end();
  }

  /** Both gauges of a scrape share one statement. */
  private read() {
    return (this.reading ??= this.database.query<DueRow>(DUE).finally(() => (this.reading = undefined)));
  }
}
