import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import type { BulkJob, BulkJobStatus, BulkMessage } from '@tidings/contracts/messaging/bulk';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { changeSecretsOfBulk, HIDDEN } from '@tidings/contracts/messaging/override-secrets';
import { type Queryable, statement } from '@tidings/persistence/database';

/** A job, by its place in the tables. */
export interface JobKey {
  readonly workspaceId: string;
  /** As the store keeps it. */
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
/** Only while users may be added: whoever runs the job waits for this commit, and who comes after the run changes nothing. */
const COUNT_ADDED = statement(
  'messaging.count_bulk_users_added',
  `update bulk_jobs set received = received + $3, failures = failures + $4
   where workspace_id = $1 and job_id = $2 and status = 'CREATED'`,
);
/** Who failed when it was added is sent nothing: without anybody else the run is over at once. */
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
export async function readJob(database: Queryable, place: JobKey): Promise<BulkJob> {
  const [row] = await database.query<JobRow>(RETRIEVE, [place.workspaceId, place.uuid]);
  if (!row) throw noJob(place);
  const { message, status, received, enqueued, failures } = row;
  return { definition: changeSecretsOfBulk(message, () => HIDDEN), enqueued, failures, received, status };
}

/** @throws ServiceError `not_found`, or `invalid_request` where the job was run. */
export async function assertNotRun(database: Queryable, place: JobKey): Promise<void> {
  const [row] = await database.query<{ status: BulkJobStatus }>(STATUS, [place.workspaceId, place.uuid]);
  if (!row) throw noJob(place);
  if (row.status !== 'CREATED') throw alreadyRun(place);
}

/** The last thing a transaction does that added users. @throws as `assertNotRun`; then nothing was added. */
export async function countAdded(tx: Queryable, place: JobKey, added: { received: number; failures: number }): Promise<void> {
  if ((await tx.execute(COUNT_ADDED, [place.workspaceId, place.uuid, added.received, added.failures])) > 0) return;
  await assertNotRun(tx, place);
  throw alreadyRun(place);
}

/** Begins the run, which nobody else can then begin. @throws as `assertNotRun`. */
export async function beginRun(tx: Queryable, place: JobKey): Promise<JobRow> {
  const [row] = await tx.query<JobRow>(RUN, [place.workspaceId, place.uuid]);
  if (row) return row;
  await assertNotRun(tx, place);
  throw alreadyRun(place);
}

/** @throws ServiceError `not_found`. */
export async function assertJob(database: Queryable, place: JobKey): Promise<void> {
  const [row] = await database.query(STATUS, [place.workspaceId, place.uuid]);
  if (!row) throw noJob(place);
}

function noJob({ uuid }: JobKey): ServiceError {
  return new ServiceError('not_found', `Bulk job ${uuidToMessageId(uuid)} does not exist`);
}

function alreadyRun({ uuid }: JobKey): ServiceError {
  return invalid(`Bulk job ${uuidToMessageId(uuid)} was already run: it takes no more users and runs only once; create another job`);
}
