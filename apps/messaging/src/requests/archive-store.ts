import { type Queryable, statement } from '@tidings/persistence/database';

/** Messages archived in one transaction. Other writers of these messages wait for this many at most. */
export const STEP_MESSAGES = 500;

const ARCHIVE_MESSAGE = statement(
  'messaging.archive_message',
  `update messages set archived = true where workspace_id = $1 and id = $2 and not archived`,
);

/** Skips locked rows, so that it cannot deadlock with other writers: a later step archives them. */
const ARCHIVE_SOME = statement(
  'messaging.archive_some',
  `update messages set archived = true where workspace_id = $1 and id = any(array(
     select id from messages where workspace_id = $1 and request_id = $2 and not archived
      order by workspace_id, request_id, archived, id limit $3 for update skip locked))`,
);

/** Archives one message; an archived or unknown one stays as it is. */
export async function archiveMessage(tx: Queryable, workspaceId: string, uuid: string): Promise<void> {
  await tx.execute(ARCHIVE_MESSAGE, [workspaceId, uuid]);
}

/** Archives up to `STEP_MESSAGES` messages of a request that are not archived yet; resolves with their number. */
export function archiveSome(tx: Queryable, workspaceId: string, requestUuid: string): Promise<number> {
  return tx.execute(ARCHIVE_SOME, [workspaceId, requestUuid, STEP_MESSAGES]);
}
