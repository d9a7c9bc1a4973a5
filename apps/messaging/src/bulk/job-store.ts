import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import type { BulkJob, BulkJobStatus, BulkMessage } from '@tidings/contracts/messaging/bulk';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { changeSecretsOfBulk, HIDDEN } from '@tidings/contracts/messaging/override-secrets';
import { type Queryable, statement } from '@tidings/persistence/database';

/** Key of a job in the tables. */
export interface JobKey {
  readonly workspaceId: string;
  /** The job id in the store. */
  readonly uuid: string;
}

/** A row of `bulk_jobs`. */
interface JobRow {
  message: BulkMessage;
  status: BulkJobStatus;
  received: number;
  enqueued: number;
  failures: number;
}

const CREATE = statement('messaging.create_bulk_job', 'insert into bulk_jobs (workspace_id, job_id, message) values ($1, $2, $3)');
const RETRIEVE = statement(
  'messaging.retrieve_bulk_job',
  'select message, status, received, enqueued, failures from bulk_jobs where workspace_id = $1 and job_id = $2',
);
const STATUS = statement('messaging.bulk_job_status', 'select status from bulk_jobs where workspace_id = $1 and job_id = $2');
/** Only before the run: a concurrent run waits for this commit, and after the run this changes nothing. */
const COUNT_ADDED = statement(
  'messaging.count_bulk_users_added',
  `update bulk_jobs set received = received + $3, failures = failures + $4
   where workspace_id = $1 and job_id = $2 and status = 'CREATED'`,
);
/** Users that failed when they were added are sent nothing: without other users the run ends at once. */
const RUN = statement(
  'messaging.run_bulk_job',
  `update bulk_jobs set run_at = now(),
     status = case when received > failures then 'PROCESSING' when received > 0 then 'ERROR' else 'COMPLETED' end
   where workspace_id = $1 and job_id = $2 and status = 'CREATED'
   returning message, status, received, enqueued, failures`,
);

/** @param message as JSON. */
export async function createJob(tx: Queryable, { workspaceId, uuid }: JobKey, message: string): Promise<void> {
  await tx.execute(CREATE, [workspaceId, uuid, message]);
}

/** @throws ServiceError `not_found`. */
export async function readJob(database: Queryable, key: JobKey): Promise<BulkJob> {
  const [row] = await database.query<JobRow>(RETRIEVE, [key.workspaceId, key.uuid]);
  if (!row) throw noJob(key);
  const { message, status, received, enqueued, failures } = row;
  return { definition: changeSecretsOfBulk(message, () => HIDDEN), enqueued, failures, received, status };
}

/** @throws ServiceError `not_found`, or `invalid_request` where the job was run. */
export async function assertNotRun(database: Queryable, key: JobKey): Promise<void> {
  const [row] = await database.query<{ status: BulkJobStatus }>(STATUS, [key.workspaceId, key.uuid]);
  if (!row) throw noJob(key);
  if (row.status !== 'CREATED') throw alreadyRun(key);
}

/** Last statement of a transaction that added users. @throws as `assertNotRun`, and the transaction rolls back. */
export async function countAdded(tx: Queryable, key: JobKey, added: { received: number; failures: number }): Promise<void> {
  if ((await tx.execute(COUNT_ADDED, [key.workspaceId, key.uuid, added.received, added.failures])) > 0) return;
  await assertNotRun(tx, key);
  throw alreadyRun(key);
}

/** Starts the run, which only one caller can do. @throws as `assertNotRun`. */
export async function startRun(tx: Queryable, key: JobKey): Promise<JobRow> {
  const [row] = await tx.query<JobRow>(RUN, [key.workspaceId, key.uuid]);
  if (row) return row;
  await assertNotRun(tx, key);
  throw alreadyRun(key);
}

/** @throws ServiceError `not_found`. */
export async function assertJob(database: Queryable, key: JobKey): Promise<void> {
  const [row] = await database.query(STATUS, [key.workspaceId, key.uuid]);
  if (!row) throw noJob(key);
}

function noJob({ uuid }: JobKey): ServiceError {
  return new ServiceError('not_found', `Bulk job ${uuidToMessageId(uuid)} does not exist`);
}

function alreadyRun({ uuid }: JobKey): ServiceError {
  return invalid(`Bulk job ${uuidToMessageId(uuid)} was already run: it accepts no more users and runs only once; create another job`);
}
