import { INBOUND_ID_RETENTION_MS } from '@tidings/contracts/messaging/inbound';
import { type Database, type Queryable, statement } from '@tidings/persistence/database';
import { deleteInSteps } from '../store/sql';

/** Ids that one statement deletes. */
export const FORGET_STEP = 1_000;
/** Steps of one round; the rest waits for the next round. */
const STEPS_MAX = 10_000;

/** A statement: TypeORM has no upsert with a condition. */
const STORE = statement(
  'messaging.store_inbound',
  `insert into inbound_events (workspace_id, client_id, message_id, at) values ($1, $2, $3, $4)
   on conflict (workspace_id, client_id) do update set message_id = excluded.message_id, at = excluded.at where inbound_events.at < $5`,
);
const FORGET = statement(
  'messaging.forget_inbound',
  `delete from inbound_events where ctid = any(array(
     select ctid from inbound_events where at < $1 order by at limit ${FORGET_STEP} for update skip locked))`,
);

/** An event that a client tracked. */
interface Occurrence {
  workspaceId: string;
  /** The id that the client gave it. */
  clientId: string;
  /** The message id as the table stores it. */
  uuid: string;
  nowMs: number;
}

/** Stores an occurrence; resolves with whether it is the first with its client id within `INBOUND_ID_KEPT_MS`. */
export async function storeOccurrence(tx: Queryable, { workspaceId, clientId, uuid, nowMs }: Occurrence): Promise<boolean> {
  return (await tx.execute(STORE, [workspaceId, clientId, uuid, nowMs, nowMs - INBOUND_ID_RETENTION_MS])) > 0;
}

/** Deletes ids older than `INBOUND_ID_KEPT_MS` in short steps, until `isOver` is true or none is left. */
export async function forgetInbound(database: Database, nowMs: number, isOver: () => boolean): Promise<void> {
  const values = [nowMs - INBOUND_ID_RETENTION_MS];
  await deleteInSteps(database, FORGET, values, { rows: FORGET_STEP, stepsMax: STEPS_MAX, stopping: isOver });
}
