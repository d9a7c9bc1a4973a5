import { MINUTE_MS } from '@tidings/contracts/core/duration';
import type { CallContext } from '@tidings/contracts/core/context';
import { invalid } from '@tidings/contracts/core/refusals';
import { type GetSeries, SERIES_POINTS_MAX, type SeriesPoint, statistics } from '@tidings/contracts/messaging/statistics';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { workspaceBacklog } from '../due-work';
import { percentile } from './latency-buckets';
import { COUNTERS } from './message-counts';

/** Minutes of a series that names no begin. */
const DEFAULT_MINUTES = 60;

// SQL because one statement adds the counts of each step along the primary key.
const SERIES = statement(
  'messaging.message_series',
  `select (minute - $2::integer) / $4::integer as step, counter, sum(count)::float8 as count
     from message_minutes where workspace_id = $1 and minute >= $2 and minute < $3
    group by step, counter`,
);

interface SumRow {
  /** Number of the step, from 0. */
  step: number;
  counter: number;
  count: number;
}

@Handles(statistics)
export class StatisticsHandlers {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async series({ workspaceId }: CallContext, request: GetSeries) {
    const { from, to, step } = minutesOf(request, this.clock.now());
    const rows = await this.database.query<SumRow>(SERIES, [workspaceId, from, to, step]);
    const sums = new Map<number, SumRow[]>();
    for (const row of rows) sums.set(row.step, [...(sums.get(row.step) ?? []), row]);
    const points = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) =>
      toPoint((from + index * step) * MINUTE_MS, sums.get(index) ?? []),
    );
    return { points };
  }

  async backlog({ workspaceId }: CallContext) {
    const { waiting, oldestAt } = await workspaceBacklog(this.database, workspaceId);
    return { waiting, oldest_at: oldestAt };
  }
}

/** The range and the step in minutes. @throws ServiceError `invalid_request` for an empty range, a step of no minutes, or too many points. */
function minutesOf({ from, to, step: seconds = 60 }: GetSeries, nowMs: number) {
  const end = Math.ceil((to ?? nowMs) / MINUTE_MS);
  const begin = from === undefined ? end - DEFAULT_MINUTES : Math.floor(from / MINUTE_MS);
  const step = seconds / 60;
  if (!Number.isInteger(step)) throw invalid(`step must be a multiple of 60 seconds (got ${seconds})`);
  if (begin >= end) throw invalid(`from must be before to (got ${from} and ${to ?? nowMs})`);
  if (end > MINUTE_MAX) throw invalid(`to must be before ${new Date(MINUTE_MAX * MINUTE_MS).toISOString()} (got ${to})`);
  const points = Math.ceil((end - begin) / step);
  if (points > SERIES_POINTS_MAX) throw invalid(`from, to and step make ${points} points; at most ${SERIES_POINTS_MAX} are answered`);
  return { from: begin, to: end, step: Math.min(step, end - begin) };
}

/** Minutes since the epoch are 32-bit integers. */
const MINUTE_MAX = 2 ** 31 - 1;

function toPoint(at: number, sums: readonly SumRow[]): SeriesPoint {
  const sumOf = (counter: number) => sums.find((one) => one.counter === counter)?.count ?? 0;
  const latencies = sums.filter(({ counter }) => counter >= COUNTERS.delivered);
  const counts = new Map(latencies.map(({ counter, count }) => [counter - COUNTERS.delivered, count]));
  return {
    at,
    accepted: sumOf(COUNTERS.accepted),
    delivered: latencies.reduce((sum, { count }) => sum + count, 0),
    failed: sumOf(COUNTERS.failed),
    latency_p50_ms: percentile(counts, 0.5),
    latency_p99_ms: percentile(counts, 0.99),
  };
}
