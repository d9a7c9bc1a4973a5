import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { type Queryable, statement } from '@tidings/persistence/database';
import { HISTORY_OF_UPDATED, LAST_EVENT_BEFORE } from './sql';

// SQL because one statement locks or changes the rows of a whole page of messages, in the order of their keys.
const LOCK_DELIVERIES = statement(
  'messaging.lock_deliveries_of',
  `select message_id, leaf, attempt from deliveries where workspace_id = $1 and message_id = any($2::uuid[])
    order by message_id, leaf for update`,
);
const LOCK_OPEN = statement(
  'messaging.lock_open_messages_to_cancel',
  `select from open_messages where workspace_id = $1 and message_id = any($2::uuid[]) order by message_id for update`,
);
/** `$3`, `$4`: the first and the last id. PostgreSQL prunes partitions by a range, not by a list. */
const LOCK_MESSAGES = statement(
  'messaging.lock_messages',
  `select id, status in ('ENQUEUED', 'DELAYED', 'ROUTED') as waits, providers is not null as has_ended from messages
    where workspace_id = $1 and id = any($2::uuid[]) and id between $3 and $4 order by id for update`,
);
const DELETE_DELIVERIES = statement(
  'messaging.delete_deliveries_of',
  `delete from deliveries using unnest($2::uuid[], $3::smallint[]) as input(message_id, leaf)
    where workspace_id = $1 and deliveries.message_id = input.message_id and deliveries.leaf = input.leaf`,
);
const DELETE_OPEN = statement(
  'messaging.delete_open_messages',
  `delete from open_messages where workspace_id = $1 and message_id = any($2::uuid[])`,
);
const MARK_CANCELED = statement(
  'messaging.mark_canceled',
  `with updated as (
     update messages set status = 'CANCELED', canceled_at = $5::bigint, reason = null, error = null, last_number = messages.last_number + 1,
            last_event_at = greatest(messages.last_event_at, $5::bigint)
     where workspace_id = $1 and id = any($2::uuid[]) and id between $3 and $4
     returning messages.workspace_id, messages.id, messages.last_number as number, ${LAST_EVENT_BEFORE} as at, $6::json as events
   )${HISTORY_OF_UPDATED}`,
);
const DELIVERIES_LEFT = statement(
  'messaging.deliveries_left',
  `select from deliveries where workspace_id = $1 and message_id = any($2::uuid[]) limit 1`,
);

/** A message to cancel. */
export interface Cancelable {
  workspaceId: string;
  uuid: string;
  nowMs: number;
}

/** `cancelMessages` for one message; resolves with whether it was canceled. */
export async function cancelMessage(tx: Queryable, message: Cancelable, options?: { force: boolean }): Promise<boolean> {
  const canceled = await cancelMessages(tx, { ...message, uuids: [message.uuid] }, options);
  return canceled.has(message.uuid);
}

/**
 * Cancels the messages for which no provider was called: deletes their deliveries and open states, sets the status, adds the event. Others
 * stay unchanged. Resolves with the canceled ids. Lock order: deliveries, open state, message, history; each by id.
 *
 * @param options `force`: also ends messages whose providers were called. What was sent stays sent, and their status stays.
 * @throws ConcurrentUpdate when a step was stored between two of its locks; see `retryOnConflict`.
 */
export async function cancelMessages(
  tx: Queryable,
  { workspaceId, uuids, nowMs }: Omit<Cancelable, 'uuid'> & { uuids: readonly string[] },
  { force = false } = {},
): Promise<Set<string>> {
  const deliveries = await tx.query<{ message_id: string; leaf: number; attempt: number }>(LOCK_DELIVERIES, [workspaceId, uuids]);
  const called = new Set(deliveries.filter(({ attempt }) => !force && attempt > 0).map(({ message_id }) => message_id));
  const uncalled = uuids.filter((uuid) => !called.has(uuid)).sort();
  if (uncalled.length === 0) return new Set();
  await tx.execute(LOCK_OPEN, [workspaceId, uncalled]);
  const rows = await tx.query<MessageStateRow>(LOCK_MESSAGES, [workspaceId, uncalled, uncalled[0], uncalled.at(-1)]);
  const canceled = rows.filter(({ waits, has_ended }) => waits && (force || !has_ended)).map(({ id }) => id);
  const ended = new Set(force ? uncalled : canceled);
  const withdrawn = deliveries.filter(({ message_id }) => ended.has(message_id));
  await tx.execute(DELETE_DELIVERIES, [workspaceId, withdrawn.map(({ message_id }) => message_id), withdrawn.map(({ leaf }) => leaf)]);
  await tx.execute(DELETE_OPEN, [workspaceId, [...ended]]);
  // A step locks the open state before it inserts deliveries: after the locks above no delivery can be added.
  if ((await tx.query(DELIVERIES_LEFT, [workspaceId, [...ended]])).length > 0) throw new ConcurrentUpdate();
  const events: HistoryEvent[] = [{ ts: nowMs, type: 'CANCELED' }];
  if (canceled.length > 0)
    await tx.query(MARK_CANCELED, [workspaceId, canceled, canceled[0], canceled.at(-1), nowMs, JSON.stringify(events)]);
  return new Set(canceled);
}

interface MessageStateRow {
  id: string;
  /** Nothing was sent. */
  waits: boolean;
  /** One of its deliveries ended. */
  has_ended: boolean;
}

/** A step of the message was stored while it was being canceled: the caller rolls the transaction back and retries it. */
class ConcurrentUpdate extends Error {}

/**
 * Retries `attempt`, which is one transaction, while it throws `ConcurrentUpdate`; other errors pass through.
 * @returns its result; `conflict` where all `attemptsMax` attempts failed.
 */
export async function retryOnConflict<Result>(attemptsMax: number, attempt: () => Promise<Result>): Promise<Result | 'conflict'> {
  for (let attempts = 1; attempts <= attemptsMax; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConcurrentUpdate)) throw error;
    }
  }
  return 'conflict';
}
