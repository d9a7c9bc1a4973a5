import { type Database, statement } from '@tidings/persistence/database';

/** Rows of one step, a transaction of its own. */
const STEP_ROWS = 1_000;
/** Jobs of one round; the rest waits for the next. */
const JOBS_MAX = 1_000;
/** Steps of one round, for all jobs together. */
const STEPS_MAX = 5_000;

// SQL because users are removed in steps that skip locked rows, and a job once it has no users.
/** Only jobs that have ended: a job that was never run is not removed. No index needed: jobs are few, and the query runs once a day. */
const EXPIRED = statement(
  'messaging.expired_bulk_jobs',
  `select workspace_id, job_id from bulk_jobs
   where status in ('COMPLETED', 'ERROR') and run_at < to_timestamp($1 / 1000.0) order by workspace_id, job_id limit ${JOBS_MAX}`,
);
const REMOVE_USERS = statement(
  'messaging.remove_bulk_users',
  `delete from bulk_users where workspace_id = $1 and job_id = $2 and ordinal in (
     select ordinal from bulk_users where workspace_id = $1 and job_id = $2 order by ordinal limit ${STEP_ROWS} for update skip locked)`,
);
const REMOVE_JOB = statement(
  'messaging.remove_bulk_job',
  `delete from bulk_jobs where workspace_id = $1 and job_id = $2
     and not exists (select from bulk_users where workspace_id = $1 and job_id = $2)`,
);

/** Removes jobs that were run before `sinceMs` (ms since the epoch), with their users. Safe when many processes run it at once. */
export async function removeExpiredJobs(database: Database, sinceMs: number, stopping: () => boolean): Promise<void> {
  let steps = 0;
  for (const { workspace_id, job_id } of await database.query<{ workspace_id: string; job_id: string }>(EXPIRED, [sinceMs])) {
    for (let removed = STEP_ROWS; removed === STEP_ROWS; steps += 1) {
      if (stopping() || steps >= STEPS_MAX) return;
      removed = await database.execute(REMOVE_USERS, [workspace_id, job_id]);
    }
    await database.execute(REMOVE_JOB, [workspace_id, job_id]);
  }
}
