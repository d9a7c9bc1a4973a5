import { bulk, type BulkJobCreated, type CreateBulkJob } from '@tidings/contracts/messaging/bulk';
import type { OverrideSecrets } from '@tidings/persistence/override-secrets';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { Caller } from '../auth/caller';
import { answersLocally, type LocalHandlers } from '../routes/local-handlers';

/** Handler of `bulk.create`: seals the secrets of the message before messaging creates the job. */
export function sealsBulkSecrets(client: OperationClient, secrets: OverrideSecrets): LocalHandlers {
  const { create } = bulk;
  return answersLocally(
    { create },
    {
      create: (caller: Caller, { message }: CreateBulkJob): Promise<BulkJobCreated> =>
        client.call(create, caller, { message: secrets.acceptBulk(caller.workspaceId, message) }),
    },
  );
}
