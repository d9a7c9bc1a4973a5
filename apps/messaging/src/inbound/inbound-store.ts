import { INBOUND_ID_KEPT_MS } from '@tidings/contracts/messaging/inbound';
import { type Database, type Queryable, statement } from '@tidings/persistence/database';

/** Ids that one statement forgets. */
export const FORGET_STEP = 1_000;
/** Steps of one round; what is left waits for the next. */
const STEPS_MAX = 10_000;

const KEEP = statement(
  'messaging.keep_inbound',
  `insert into inbound_events (workspace_id, client_id, message_id, at) values ($1, $2, $3, $4)
   on conflict (workspace_id, client_id) do update set message_id = excluded.message_id, at = excluded.at where inbound_events.at < $5`,
);
const FORGET = statement(
  'messaging.forget_inbound',
  `delete from inbound_events where ctid = any(array(
     select ctid from inbound_events where at < $1 order by at limit ${FORGET_STEP} for update skip locked))`,
);

/** An occurrence that a client tells of. */
interface Occurrence {
  workspaceId: string;
  /** The client's id of it. */
  clientId: string;
  /** Ours, as the store keeps it. */
  uuid: string;
  nowMs: number;
}

/** Whether it is the first with its id, as far back as ids are known. */
export async function keepOccurrence(tx: Queryable, { workspaceId, clientId, uuid, nowMs }: Occurrence): Promise<boolean> {
  return (await tx.execute(KEEP, [workspaceId, clientId, uuid, nowMs, nowMs - INBOUND_ID_KEPT_MS])) > 0;
}

/** Removes ids that are not known any more, in short steps. */
export async function forgetInbound(database: Database, nowMs: number, isOver: () => boolean): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !isOver(); steps += 1) {
    if ((await database.execute(FORGET, [nowMs - INBOUND_ID_KEPT_MS])) < FORGET_STEP) return;
  }
}
