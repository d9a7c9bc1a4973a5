import type { CallContext } from '@tidings/contracts/core/context';
import { notFound } from '@tidings/contracts/core/refusals';
import { requireMessageUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { JobKey } from './bulk-job.entity';

/** The key of the caller's job. @throws ServiceError for an id that no job can have. */
export function keyOf({ workspaceId }: CallContext, jobId: string): JobKey {
  return { workspaceId, uuid: requireMessageUuid(jobId, 'Bulk job') };
}

/** The refusal of a job that the workspace does not have. */
export function noJob({ uuid }: JobKey) {
  return notFound(`Bulk job ${uuidToMessageId(uuid)} does not exist`);
}
