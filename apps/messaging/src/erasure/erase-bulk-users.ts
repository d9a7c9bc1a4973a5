import { type Queryable, statement } from '@tidings/persistence/database';

/** Jobs of one step; a job has a user once. */
const STEP_JOBS = 50;
/** Error of an erased user that was not sent to. */
const ERASED_ERROR = 'The user was erased';

/** Searches through the jobs of the workspace, which are few compared to their users: this needs no further index. */
const JOBS_OF = statement(
  'messaging.bulk_jobs_to_erase_from',
  `select job_id from bulk_jobs
   where workspace_id = $1 and exists (
     select from bulk_users
     where bulk_users.workspace_id = bulk_jobs.workspace_id and bulk_users.job_id = bulk_jobs.job_id and bulk_users.recipient = $2)
   order by job_id limit ${STEP_JOBS}`,
);

/**
 * The row stays, without recipient, so that the job's counts stay correct; a pending user counts as failed. Lock order, as in pages of a
 * run: user, job.
 */
const ERASE = statement(
  'messaging.erase_bulk_user',
  `with found as materialized (
     select ordinal, status from bulk_users where workspace_id = $1 and job_id = $2 and recipient = $3 for update
   ), erased as (
     update bulk_users set recipient = null, entry = '{}', bytes = 2,
            status = case found.status when 'PENDING' then 'ERROR' else found.status end,
            error = case found.status when 'ENQUEUED' then null else '${ERASED_ERROR}' end
     from found where bulk_users.workspace_id = $1 and bulk_users.job_id = $2 and bulk_users.ordinal = found.ordinal
     returning found.status
   )
   update bulk_jobs set failures = failures + (select count(*) from erased where status = 'PENDING')
   where workspace_id = $1 and job_id = $2 and exists (select from erased)`,
);

/** Erases a user from up to `STEP_JOBS` bulk jobs in any state; resolves with the number of jobs. The next step erases the rest. */
export async function eraseFromBulkJobs(database: Queryable, workspaceId: string, recipient: string): Promise<number> {
  let erased = 0;
  for (const { job_id } of await database.query<{ job_id: string }>(JOBS_OF, [workspaceId, recipient])) {
    erased += await database.execute(ERASE, [workspaceId, job_id, recipient]);
  }
  return erased;
}
