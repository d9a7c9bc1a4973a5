import { type Queryable, statement } from '@tidings/persistence/database';

/** Messages of one step, a transaction of its own: whoever has something to say of one of them waits for no more. */
export const STEP_MESSAGES = 500;

const ARCHIVE_MESSAGE = statement(
  'messaging.archive_message',
  `update messages set archived = true where workspace_id = $1 and id = $2 and not archived`,
);

/** Nobody is waited for, so that nobody can wait in a circle: those somebody else holds come with a later step. */
const ARCHIVE_SOME = statement(
  'messaging.archive_some',
  `update messages set archived = true where workspace_id = $1 and id = any(array(
     select id from messages where workspace_id = $1 and request_id = $2 and not archived
      order by workspace_id, request_id, archived, id limit $3 for update skip locked))`,
);

/** Hides one message. */
export async function archiveMessage(tx: Queryable, workspaceId: string, uuid: string): Promise<void> {
  await tx.execute(ARCHIVE_MESSAGE, [workspaceId, uuid]);
}

/** Hides some of the messages that came of a request and are not hidden yet; how many. */
export function archiveSome(tx: Queryable, workspaceId: string, requestUuid: string): Promise<number> {
  return tx.execute(ARCHIVE_SOME, [workspaceId, requestUuid, STEP_MESSAGES]);
}
