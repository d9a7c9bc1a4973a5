import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { type Queryable, statement } from '@tidings/persistence/database';
import { ChangedMeanwhile } from './changed-meanwhile';
import { HISTORY_OF_UPDATED, LAST_EVENT_BEFORE } from './history-sql';

const LOCK_DELIVERIES = statement(
  'messaging.lock_deliveries_of',
  `select leaf, attempt from deliveries where workspace_id = $1 and message_id = $2 order by leaf for update`,
);
const DELETE_DELIVERIES = statement(
  'messaging.delete_deliveries_of',
  `delete from deliveries where workspace_id = $1 and message_id = $2 and leaf = any($3::smallint[])`,
);
const DELETE_OPEN = statement('messaging.delete_open_message', `delete from open_messages where workspace_id = $1 and message_id = $2`);

/** `$4`: whether it counts that something ended already. */
const MARK_CANCELED = statement(
  'messaging.mark_canceled',
  `with updated as (
     update messages set status = 'CANCELED', canceled_at = $3::bigint, reason = null, error = null, last_number = messages.last_number + 1,
            last_event_at = greatest(messages.last_event_at, $3::bigint)
     where workspace_id = $1 and id = $2 and status in ('ENQUEUED', 'DELAYED', 'ROUTED') and (providers is null or not $4::boolean)
     returning messages.workspace_id, messages.id, messages.last_number as number, ${LAST_EVENT_BEFORE} as at, $5::json as events
   )${HISTORY_OF_UPDATED}`,
);
const DELIVERIES_LEFT = statement(
  'messaging.deliveries_left',
  `select from deliveries where workspace_id = $1 and message_id = $2 limit 1`,
);

/** Which message is to be canceled. */
export interface Cancelable {
  workspaceId: string;
  uuid: string;
  nowMs: number;
}

/** What canceling came to. */
export type Canceling = 'canceled' | 'too late';

/**
 * Cancels a message for which no provider was called: what it waits for is gone, status and history say so. With `tooLate` the
 * transaction must be rolled back. Locks are taken in the order: deliveries, open state, message, history.
 *
 * @param options.force also when providers were called: nothing more is tried. What was sent stays sent; then `too late` means no more
 * than that the status stays, and the transaction may be committed.
 * @throws ChangedMeanwhile when a step was stored between two of its locks; see `begunAgain`.
 */
export async function cancelMessage(tx: Queryable, message: Cancelable, { force = false } = {}): Promise<Canceling> {
  const { workspaceId, uuid, nowMs } = message;
  const deliveries = await tx.query<{ leaf: number; attempt: number }>(LOCK_DELIVERIES, [workspaceId, uuid]);
  if (!force && deliveries.some(({ attempt }) => attempt > 0)) return 'too late';
  await tx.execute(DELETE_DELIVERIES, [workspaceId, uuid, deliveries.map(({ leaf }) => leaf)]);
  await tx.execute(DELETE_OPEN, [workspaceId, uuid]);
  const event: HistoryEvent = { ts: nowMs, type: 'CANCELED' };
  const [marked] = await tx.query(MARK_CANCELED, [workspaceId, uuid, nowMs, !force, JSON.stringify([event])]);
  // Whoever stores a step holds the open state from before its deliveries: none can come any more.
  const left = await tx.query(DELIVERIES_LEFT, [workspaceId, uuid]);
  if (left.length > 0) throw new ChangedMeanwhile();
  return marked ? 'canceled' : 'too late';
}
