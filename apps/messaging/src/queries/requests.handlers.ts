import { Injectable } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { type ArchiveRequest, requests } from '@tidings/contracts/messaging/requests';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database, type Queryable, statement, transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import type { EntityManager } from 'typeorm';
import { ReadYourWrites } from './read-your-writes';

/** Polls at this interval for requests that another process left unfinished; `archive` wakes it. */
const INTERVAL_MS = 30_000;
/** Steps of one round; the rest waits for the next round. */
const STEPS_MAX = 2_000;
/** An expansion may add messages after the request was archived: the request is polled this long, at growing intervals. */
const WATCHED_MS = 2 * 86_400_000;
const POLL_MS_MIN = 5_000;

// SQL because the sweeper skips locked requests and messages, and archives messages in bounded steps.
const NEXT_DUE = statement(
  'messaging.next_archived_request',
  `select workspace_id, request_id, extract(epoch from now() - archived_at)::float8 * 1000 as age_ms from archived_requests
    where due_at <= now() order by due_at limit 1 for update skip locked`,
);
const POSTPONE = statement(
  'messaging.postpone_archived_request',
  `update archived_requests set due_at = now() + $3 * interval '1 millisecond' where workspace_id = $1 and request_id = $2`,
);
const REMOVE = statement('messaging.remove_archived_request', `delete from archived_requests where workspace_id = $1 and request_id = $2`);

/** Messages archived in one transaction. Other writers of these messages wait for this many at most. */
export const STEP_MESSAGES = 500;

/** An archived or unknown message stays as it is. */
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

/** Archives the messages of archived requests in short transactions, however many a request has. Any number of instances may run. */
@Injectable()
export class ArchiveSweeper extends Sweeper {
  constructor(private readonly database: Database) {
    super({ queue: 'messaging.archived_requests', what: 'Archiving messages of requests', intervalMs: INTERVAL_MS, stepsMax: STEPS_MAX });
  }

  protected step(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [next] = await tx.query<{ workspace_id: string; request_id: string; age_ms: number }>(NEXT_DUE);
      if (!next) return false;
      const { workspace_id, request_id, age_ms } = next;
      if ((await archiveSome(tx, workspace_id, request_id)) > 0) return true;
      if (age_ms > WATCHED_MS) await tx.execute(REMOVE, [workspace_id, request_id]);
      else await tx.execute(POSTPONE, [workspace_id, request_id, Math.max(POLL_MS_MIN, age_ms)]);
      return true;
    });
  }
}

/** Archives up to `STEP_MESSAGES` messages of a request that are not archived yet; resolves with their number. */
function archiveSome(tx: Queryable, workspaceId: string, requestUuid: string) {
  return tx.execute(ARCHIVE_SOME, [workspaceId, requestUuid, STEP_MESSAGES]);
}

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
  prepareArchive(context: CallContext, { request_id: id }: ArchiveRequest) {
    const { workspaceId } = context;
    const find = async (uuid: string) => ((await this.database.query(MESSAGE_OF, [workspaceId, uuid])).length > 0 ? uuid : undefined);
    return this.fresh.load(context, id, find, { what: 'Request' });
  }

  /** Archives up to `STEP_MESSAGES` messages before it answers; the sweeper archives the others in steps. */
  async archive({ workspaceId }: CallContext, _: ArchiveRequest, manager: EntityManager, uuid: string) {
    const tx = transactionOf(manager);
    await tx.execute(ARCHIVE, [workspaceId, uuid]);
    await tx.execute(ARCHIVE_MESSAGE, [workspaceId, uuid]);
    await archiveSome(tx, workspaceId, uuid);
    tx.afterCommit(() => this.sweeper.wake());
  }
}
