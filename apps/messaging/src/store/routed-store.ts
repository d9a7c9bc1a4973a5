import type { HistoryEvent, MessageReason, MessageStatus } from '@tidings/contracts/messaging/messages';
import { type Queryable, statement } from '@tidings/persistence/database';

/** How long an attempt is its process's own before another may repeat it. Renewed while the call is open. */
export const LEASE_MS = 5_000;

/** A message as routing leaves it: what `messages`, `history` and `deliveries` get in one statement. */
export interface RoutedMessage {
  workspace_id: string;
  id: string;
  status: MessageStatus;
  recipient: string;
  event: string;
  notification: string;
  enqueued_at: number;
  reason?: MessageReason;
  error?: string;
  tags?: readonly string[];
  trace_id?: string;
  /** When the last of `events` happened, ms since the epoch. */
  at: number;
  events: readonly HistoryEvent[];
  count: number;
  /** Set when a provider is to be called: one delivery is opened. */
  channel?: string;
  provider?: string;
  /** The delivery begins leased by this process, its first attempt open; otherwise it waits for the lease query. */
  held?: boolean;
}

const INSERT_ROUTED = statement(
  'messaging.insert_routed',
  `with input as (
     select * from json_to_recordset($1::json) as row(
       workspace_id uuid, id uuid, status text, recipient text, event text, notification text, enqueued_at bigint, reason text,
       error text, tags jsonb, trace_id text, at bigint, events json, count integer, channel text, provider text, held boolean)
   ), inserted as (
     insert into messages (workspace_id, id, status, recipient, event, notification, enqueued_at, reason, error, tags, trace_id,
                           last_number, last_event_at)
     select workspace_id, id, status, recipient, event, notification, enqueued_at, reason, error, tags, trace_id, count, at from input
     on conflict do nothing
     returning workspace_id, id
   ), opened as (
     insert into deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
     select input.id, 0, input.workspace_id, channel, provider, case when held then 1 else 0 end, coalesce(held, false),
            clock_timestamp() + case when held then $2 else 0 end * interval '1 millisecond'
     from input join inserted using (workspace_id, id)
     where channel is not null
   ), kept as (
     select array_agg(workspace_id) as workspace_ids, array_agg(id) as ids, array_agg(1) as numbers, array_agg(enqueued_at) as ats,
            array_agg(events) as event_rows
     from input join inserted using (workspace_id, id)
   )
   select ids, append_history(workspace_ids, ids, numbers, ats, event_rows) from kept where ids is not null`,
);

/**
 * Stores what routing decided of a batch: messages, history, deliveries, in one statement and so in one transaction.
 * Messages that are there already are left as they are, with everything that belongs to them: a replayed batch changes nothing.
 * Resolves with the ids (uuid) that were new.
 */
export async function insertRouted(database: Queryable, messages: readonly RoutedMessage[]): Promise<Set<string>> {
  if (messages.length === 0) return new Set();
  const [row] = await database.query<{ ids: string[] }>(INSERT_ROUTED, [JSON.stringify(messages), LEASE_MS]);
  return new Set(row?.ids);
}
