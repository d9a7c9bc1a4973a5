import type { CallContext } from '@tidings/contracts/core/context';
import { type ArchiveRequest, requests } from '@tidings/contracts/messaging/requests';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import type { EntityManager } from 'typeorm';
import { ReadYourWrites } from '../messages/read-your-writes';
import { archiveMessage, archiveSome, ArchiveSweeper } from './archive-sweeper';

const MESSAGE_OF = statement(
  'messaging.message_of_request',
  `(select id from messages where workspace_id = $1 and id = $2)
   union all (select id from messages where workspace_id = $1 and request_id = $2 limit 1) limit 1`,
);

/** Archiving a request again restarts its polling. */
const ARCHIVE = statement(
  'messaging.archive_request',
  `insert into archived_requests (workspace_id, request_id) values ($1, $2)
   on conflict (workspace_id, request_id) do update set archived_at = excluded.archived_at, due_at = excluded.due_at`,
);

@Handles(requests)
export class RequestsHandlers {
  constructor(
    private readonly database: Database,
    private readonly fresh: ReadYourWrites,
    private readonly sweeper: ArchiveSweeper,
  ) {}

  /** Waits for a request that is accepted and not stored yet. */
  prepareArchive({ workspaceId }: CallContext, { request_id: id }: ArchiveRequest): Promise<string> {
    const find = async (uuid: string): Promise<string | undefined> =>
      (await this.database.query(MESSAGE_OF, [workspaceId, uuid])).length > 0 ? uuid : undefined;
    return this.fresh.load(id, find, 'Request');
  }

  /** Archives up to `STEP_MESSAGES` messages before it answers; the sweeper archives the others in steps. */
  async archive({ workspaceId }: CallContext, _: ArchiveRequest, manager: EntityManager, uuid: string): Promise<void> {
    const tx = transactionOf(manager);
    await tx.execute(ARCHIVE, [workspaceId, uuid]);
    await archiveMessage(tx, workspaceId, uuid);
    await archiveSome(tx, workspaceId, uuid);
    tx.afterCommit(() => this.sweeper.wake());
  }
}
