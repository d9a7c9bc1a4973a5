import type { CallContext } from '@tidings/contracts/core/context';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import type { BulkJobStatus, NamedBulkJob } from '@tidings/contracts/messaging/bulk';
import {
  BULK_FAILURES_COUNTED_MAX,
  BULK_REASONS_MAX,
  type BulkFailureReason,
  bulkJobs,
  type BulkJobSummary,
  type ListBulkJobs,
} from '@tidings/contracts/messaging/bulk-jobs';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { Database, statement } from '@tidings/persistence/database';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { keyOf, noJob } from './job-key';

/** Size, as stored, of a message that is parsed for its template. */
const PARSED_BYTES_MAX = 8_192;

interface JobRow {
  job_id: string;
  template: string | null;
  status: BulkJobStatus;
  received: number;
  enqueued: number;
  failures: number;
  created: Date;
  run: Date | null;
  /** Time since the run, by the clock that set it. */
  running_ms: number | null;
}

// SQL because a job's message may have 3 MB, of which a listing needs one name.
const COLUMNS = `job_id, status, received, enqueued, failures, created_at as created, run_at as run,
  extract(epoch from clock_timestamp() - run_at)::float8 * 1000 as running_ms,
  case when pg_column_size(message) <= ${PARSED_BYTES_MAX}
    then coalesce(message #>> '{message,template}', message ->> 'template', message ->> 'event') end as template`;

/** Jobs older than $2, the newest first: their ids begin with the time of their creation. */
const PAGE = statement(
  'messaging.page_of_bulk_jobs',
  `select ${COLUMNS} from bulk_jobs where workspace_id = $1 and ($2::uuid is null or job_id < $2) order by job_id desc limit $3`,
);
const JOB = statement('messaging.bulk_job_progress', `select ${COLUMNS} from bulk_jobs where workspace_id = $1 and job_id = $2`);
const REASONS = statement(
  'messaging.bulk_failure_reasons',
  `select error, count(*)::integer as count
     from (select error from bulk_users where workspace_id = $1 and job_id = $2 and error is not null
            order by ordinal limit ${BULK_FAILURES_COUNTED_MAX}) as failed
    group by error order by count desc, error limit ${BULK_REASONS_MAX}`,
);

@Handles(bulkJobs)
export class BulkJobsHandlers {
  constructor(private readonly database: Database) {}

  async list({ workspaceId }: CallContext, { cursor, limit: given }: ListBulkJobs) {
    const limit = given ?? PAGE_LIMIT_DEFAULT;
    const tag = `bulk-jobs ${workspaceId}`;
    const [before] = cursor === undefined ? [null] : decodeCursor(tag, cursor, ['uuid']);
    const rows = await this.database.query<JobRow>(PAGE, [workspaceId, before, limit + 1]);
    return toResultsPage(toPage(rows, { tag, limit, cursorOf: ({ job_id }) => [job_id], toItem: toSummary }));
  }

  async progress(context: CallContext, { job_id }: NamedBulkJob) {
    const key = keyOf(context, job_id);
    const values = [key.workspaceId, key.uuid];
    const [[row], reasons] = await Promise.all([
      this.database.query<JobRow>(JOB, values),
      this.database.query<BulkFailureReason>(REASONS, values),
    ]);
    if (!row) throw noJob(key);
    return { ...toSummary(row), ...paceOf(row), reasons };
  }
}

function toSummary({ job_id, template, status, received, enqueued, failures, created, run }: JobRow): BulkJobSummary {
  return {
    id: uuidToMessageId(job_id),
    template: template ?? undefined,
    status,
    received,
    enqueued,
    failures,
    created: created.getTime(),
    run: run?.getTime(),
  };
}

/** How fast a run is, and how long the rest takes at that rate. */
function paceOf({ status, received, enqueued, failures, running_ms }: JobRow) {
  if (status !== 'PROCESSING' || enqueued === 0 || running_ms === null || running_ms <= 0) return {};
  const perMs = enqueued / running_ms;
  return { per_minute: Math.round(perMs * MINUTE_MS), time_left_ms: Math.round((received - enqueued - failures) / perMs) };
}
