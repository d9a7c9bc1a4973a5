import { Min } from 'class-validator';
import { DAY_MS } from '../core/duration';
import { Int, IsListOf, Optional, OptionalInt } from '../core/fields';
import { defineOperations } from '../core/operation';
import { NoFields } from './senders';

/** How long counts per minute are stored. */
export const STATISTICS_RETENTION_MS = 30 * DAY_MS;
/** Points of one answer. */
export const SERIES_POINTS_MAX = 1_500;

const OptionalMs = Optional(Int, Min(0));

export class GetSeries {
  /** Begin, ms since the epoch; rounded down to a whole minute. Default: an hour before `to`. @example 1772355600000 */
  @OptionalMs from?: number;

  /** End, ms since the epoch, not included; default: now. @example 1772359200000 */
  @OptionalMs to?: number;

  /** Seconds of a point: a multiple of 60. Default 60. At most 1,500 points are answered. @example 60 */
  @Optional(Int, Min(60)) step?: number;
}

/** What happened in one step of time. */
export class SeriesPoint {
  /** Its begin, ms since the epoch. @example 1772359200000 */
  @Int at: number;

  /** Messages accepted: a send to several counts once for each. @example 12 */
  @Int accepted: number;

  /** Messages that became `DELIVERED`, at the time of the report. @example 11 */
  @Int delivered: number;

  /** Messages that became `UNDELIVERABLE`, `UNROUTABLE` or `UNMAPPED`. @example 1 */
  @Int failed: number;

  /**
   * Half of the messages delivered in it took at most this long, in ms, from their acceptance, or from the end of their delay; within 20 %.
   * Absent without one. @example 180
   */
  @OptionalInt latency_p50_ms?: number;

  /** The same for 99 %. @example 900 */
  @OptionalInt latency_p99_ms?: number;
}

export class Series {
  /** A point for each step, in order, also for those in which nothing happened. */
  @IsListOf(SeriesPoint) points: SeriesPoint[];
}

/** What is due and has not been processed. */
export class WorkspaceBacklog {
  /** Deliveries, messages and requests that are due and wait; 10,000: at least so many. @example 12 */
  @Int waiting: number;

  /** Since when the oldest is due, ms since the epoch; absent if nothing waits. @example 1772359200000 */
  @OptionalInt oldest_at?: number;
}

/** Counts per minute, which are stored for 30 days. */
export const statistics = defineOperations(
  'messaging.statistics',
  'stats',
  {
    /** From counts per minute, which lag by up to 10 s and are stored for 30 days. Answers 400 for more than 1,500 points. */
    series: {
      route: 'GET /console/api/stats/series',
      summary: 'Count accepted, delivered and failed messages over time',
      request: GetSeries,
      response: Series,
    },
    /** What is due in the workspace and was not processed. Delays and pauses between attempts do not count. */
    backlog: {
      route: 'GET /console/api/stats/backlog',
      summary: 'Count the due work of the workspace',
      request: NoFields,
      response: WorkspaceBacklog,
    },
  },
  { generation: 'own' },
);
