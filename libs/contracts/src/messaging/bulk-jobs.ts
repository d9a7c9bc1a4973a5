import { IsIn } from 'class-validator';
import { Int, IsListOf, OptionalInt, OptionalLimit, OptionalText, Text } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from '../core/paging';
import { BULK_JOB_STATUSES, type BulkJobStatus, NamedBulkJob } from './bulk';

/** Failures of a job whose reasons are counted, and reasons of an answer. */
export const BULK_FAILURES_COUNTED_MAX = 1_000;
export const BULK_REASONS_MAX = 20;

export class ListBulkJobs extends CursorQuery {
  /** The most items of a page, 1 to 100. Default 20. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;
}

/** A bulk job without its message. Times are ms since the epoch. */
export class BulkJobSummary {
  /** Id of the job. @example "1-69a40ce0-0b6d1f3a9e5c47728812cd34" */
  @Text id: string;

  /** Its template, or the event that names it; absent for content without either, and for a message of more than 8 KB. @example "invitation" */
  @OptionalText template?: string;

  /** As in `GET /bulk/:job_id`. @example "PROCESSING" */
  @IsIn(BULK_JOB_STATUSES) status: BulkJobStatus;

  /** Number of users of the job, failed ones included. @example 200 */
  @Int received: number;

  /** Number of users with a message. @example 120 */
  @Int enqueued: number;

  /** Number of users without a message because of an error. @example 2 */
  @Int failures: number;

  /** When it was created. @example 1772359200000 */
  @Int created: number;

  /** When it was run; absent before. @example 1772359260000 */
  @OptionalInt run?: number;
}

/** @property results The jobs of this page. */
class BulkJobPage extends pageOf(BulkJobSummary) {}

/** An error, and how many users have it. */
export class BulkFailureReason {
  /** The error, as in `GET /bulk/:job_id/users`. @example "A user needs an id or an address" */
  @Text error: string;

  /** Users that have it. @example 2 */
  @Int count: number;
}

/** How far a job is. */
export class BulkJobProgress extends BulkJobSummary {
  /** Messages per minute since the run; absent unless `PROCESSING`, and before the first one. @example 2400 */
  @OptionalInt per_minute?: number;

  /** How long the rest takes at that rate, in ms. @example 1950 */
  @OptionalInt time_left_ms?: number;

  /** The reasons of the first 1,000 failures, the most frequent first; at most 20. */
  @IsListOf(BulkFailureReason) reasons: BulkFailureReason[];
}

export const bulkJobs = defineOperations(
  'messaging.bulk-jobs',
  'bulk',
  {
    /** All jobs of the workspace, without their messages. */
    list: {
      route: 'GET /console/api/bulk',
      summary: 'List the bulk jobs, the newest first',
      request: ListBulkJobs,
      response: BulkJobPage,
    },
    /** Answers 404 for a job that does not exist. Its message is in `GET /bulk/:job_id`, its users in `GET /bulk/:job_id/users`. */
    progress: {
      route: 'GET /console/api/bulk/:job_id',
      summary: 'Get the progress of a bulk job, and its failures by reason',
      request: NamedBulkJob,
      response: BulkJobProgress,
    },
  },
  { generation: 'own' },
);
