import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { EntityManager } from 'typeorm';
import { BulkJobEntity, type JobKey } from './bulk-job.entity';

/** @throws ServiceError `not_found`, or `invalid_request` where the job was run. */
export async function assertNotRun(tx: EntityManager, key: JobKey): Promise<void> {
  const job = await tx.findOne(BulkJobEntity, { select: { status: true }, where: key });
  if (!job) throw noJob(key);
  if (job.status !== 'CREATED') throw alreadyRun(key);
}

/**
 * Last statement of a transaction that added users; a concurrent run waits for its commit.
 * @throws as `assertNotRun`, and the transaction rolls back.
 */
export async function countAdded(tx: EntityManager, key: JobKey, added: { received: number; failures: number }): Promise<void> {
  const { affected } = await tx
    .createQueryBuilder()
    .update(BulkJobEntity)
    .set({ received: () => 'received + :received', failures: () => 'failures + :failures' })
    .where({ ...key, status: 'CREATED' })
    .setParameters(added)
    .execute();
  if (affected) return;
  await assertNotRun(tx, key);
  throw alreadyRun(key);
}

/** Starts the run, which only one caller can do. Resolves with the job as it is then. @throws as `assertNotRun`. */
export async function startRun(tx: EntityManager, key: JobKey): Promise<BulkJobEntity> {
  const job = await tx.findOne(BulkJobEntity, { where: { ...key, status: 'CREATED' }, lock: { mode: 'pessimistic_write' } });
  if (!job) {
    await assertNotRun(tx, key);
    throw alreadyRun(key);
  }
  // Users that failed when they were added are sent nothing: without other users the run ends at once.
  job.status = job.received > job.failures ? 'PROCESSING' : job.received > 0 ? 'ERROR' : 'COMPLETED';
  await tx.update(BulkJobEntity, key, { status: job.status, runAt: () => 'now()' });
  return job;
}

export function noJob({ uuid }: JobKey): ServiceError {
  return new ServiceError('not_found', `Bulk job ${uuidToMessageId(uuid)} does not exist`);
}

function alreadyRun({ uuid }: JobKey): ServiceError {
  return invalid(`Bulk job ${uuidToMessageId(uuid)} was already run: it accepts no more users and runs only once; create another job`);
}
