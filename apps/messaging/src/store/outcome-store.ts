import type { HistoryEvent, MessageReason, MessageStatus, ProviderStatus } from '@tidings/contracts/messaging/messages';
import { type Queryable, statement } from '@tidings/persistence/database';
import { LEASE_MS } from './routed-store';

/** An attempt under its lease: nothing counts that names another attempt than the row's open one. */
export interface AttemptKey {
  workspace_id: string;
  id: string;
  leaf: number;
  attempt: number;
}

/** The end of a delivery and what it means for its message. */
export interface FinalOutcome extends AttemptKey {
  status: MessageStatus;
  sent_at?: number;
  delivered_at?: number;
  reason?: MessageReason;
  error?: string;
  providers: readonly ProviderStatus[];
  at: number;
  events: readonly HistoryEvent[];
  count: number;
}

/** An attempt that is to be made again after `delay_ms`. */
export interface RetryOutcome extends AttemptKey {
  delay_ms: number;
}

const FINISH = statement(
  'messaging.finish_deliveries',
  `with input as (
     select * from json_to_recordset($1::json) as row(
       workspace_id uuid, id uuid, leaf smallint, attempt integer, status text, sent_at bigint, delivered_at bigint, reason text,
       error text, providers jsonb, at bigint, events json, count integer)
   ), finished as (
     delete from deliveries using input
     where deliveries.message_id = input.id and deliveries.leaf = input.leaf
       and deliveries.attempt = input.attempt and deliveries.attempt_open
     returning input.*
   ), updated as (
     update messages set status = finished.status, sent_at = finished.sent_at, delivered_at = finished.delivered_at,
            reason = finished.reason, error = finished.error, providers = finished.providers,
            last_number = messages.last_number + finished.count, last_event_at = greatest(messages.last_event_at, finished.at)
     from finished
     where messages.workspace_id = finished.workspace_id and messages.id = finished.id
     returning messages.workspace_id, messages.id, messages.last_number - finished.count + 1 as number,
               messages.last_event_at as at, finished.events
   ), kept as (
     select array_agg(workspace_id) as workspace_ids, array_agg(id) as ids, array_agg(number) as numbers, array_agg(at) as ats,
            array_agg(events) as event_rows
     from updated
   )
   select ids, append_history(workspace_ids, ids, numbers, ats, event_rows) from kept where ids is not null`,
);

const RETRY = statement(
  'messaging.retry_deliveries',
  `update deliveries set attempt_open = false, due_at = clock_timestamp() + input.delay_ms * interval '1 millisecond'
   from json_to_recordset($1::json) as input(id uuid, leaf smallint, attempt integer, delay_ms bigint)
   where deliveries.message_id = input.id and deliveries.leaf = input.leaf
     and deliveries.attempt = input.attempt and deliveries.attempt_open`,
);

const RENEW = statement(
  'messaging.renew_leases',
  `update deliveries set due_at = clock_timestamp() + $2 * interval '1 millisecond'
   from json_to_recordset($1::json) as input(id uuid, leaf smallint, attempt integer)
   where deliveries.message_id = input.id and deliveries.leaf = input.leaf
     and deliveries.attempt = input.attempt and deliveries.attempt_open`,
);

/** Ends deliveries: row gone, message and history told, in one statement. An outcome whose lease was lost changes nothing. */
export async function finishDeliveries(database: Queryable, outcomes: readonly FinalOutcome[]): Promise<void> {
  if (outcomes.length > 0) await database.query(FINISH, [JSON.stringify(outcomes)]);
}

/** Closes attempts and sets when the next one is due. */
export async function scheduleRetries(database: Queryable, outcomes: readonly RetryOutcome[]): Promise<void> {
  if (outcomes.length > 0) await database.query(RETRY, [JSON.stringify(outcomes)]);
}

/** Keeps the leases of calls that are still open. */
export async function renewLeases(database: Queryable, attempts: readonly AttemptKey[]): Promise<void> {
  if (attempts.length > 0) await database.query(RENEW, [JSON.stringify(attempts), LEASE_MS]);
}
