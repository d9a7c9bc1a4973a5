import { INBOUND_ID_RETENTION_MS } from '@tidings/contracts/messaging/inbound';
import { type Database, statement } from '@tidings/persistence/database';
import { deleteInSteps } from '../record/sql';

/** Ids that one statement deletes. */
export const FORGET_STEP = 1_000;
/** Steps of one round; the rest waits for the next round. */
const STEPS_MAX = 10_000;

// SQL because tracked ids have no entity: one upsert separates new ids from repeated ones, and old ids go in steps.
/** Stores the id of an event, unless it was stored within `INBOUND_ID_RETENTION_MS`. */
export const STORE_OCCURRENCE = statement(
  'messaging.store_inbound',
  `insert into inbound_events (workspace_id, client_id, message_id, at) values ($1, $2, $3, $4)
   on conflict (workspace_id, client_id) do update set message_id = excluded.message_id, at = excluded.at where inbound_events.at < $5`,
);
const FORGET = statement(
  'messaging.forget_inbound',
  `delete from inbound_events where ctid = any(array(
     select ctid from inbound_events where at < $1 order by at limit ${FORGET_STEP} for update skip locked))`,
);

/** Deletes ids older than `INBOUND_ID_RETENTION_MS` in short steps, until `stopping` is true or none is left. */
export function forgetInbound(database: Database, nowMs: number, stopping: () => boolean): Promise<void> {
  return deleteInSteps(database, FORGET, [nowMs - INBOUND_ID_RETENTION_MS], { rows: FORGET_STEP, stepsMax: STEPS_MAX, stopping });
}
