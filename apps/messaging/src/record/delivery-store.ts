import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { Outcome } from '@tidings/providers/provider';
import { DueQueue } from '@tidings/jobs/claim-queue';
import { dueStatements } from '@tidings/jobs/due-statements';
import { byKey } from '@tidings/persistence/by-key';
import { type Database, type Queryable, statement } from '@tidings/persistence/database';
import { HISTORY_OF_UPDATED, LAST_EVENT_BEFORE } from './sql';
import type { LeafNames, LeafRecord } from './leaf-record';
import { ALIAS_OF, CONFIGURATION_OF } from './routes-in-progress';
import { deriveStatus, type StatusChange } from './derive-status';
import { LEASE_MS } from './step-store';

/** A delivery that this process has just leased: its next attempt is open and committed. */
export interface LeasedRow extends Omit<LeafNames, 'alias'> {
  alias: string | null;
  workspace_id: string;
  message_id: string;
  leaf: number;
  lane: number;
  more: boolean;
  hasSlot: boolean;
  /** The history has its DELIVERING event. */
  isAnnounced: boolean;
  attempt: number;
  /** The attempt before this one was open when its lease ran out: whether its call went through is unknown. */
  orphaned: boolean;
  /** The error and the response of the last attempt with an outcome. */
  last_error: string | null;
  last_response: Outcome['response'] | null;
  /** Start of the time limit of the message, ms since the epoch. */
  since_ms: string;
  /** The first step of the message, with its request, and the step that opened the delivery, with its content. */
  first_events: HistoryEvent[] | null;
  step_events: HistoryEvent[] | null;
}

// SQL because claims skip locked rows, and one statement ends a batch with its messages and history.
/** A message may have several deliveries at once, so message and leaf identify one. */
const STATEMENTS = dueStatements(
  'messaging.deliveries',
  {
    table: 'deliveries',
    columns: 'rows.message_id, rows.leaf, rows.attempt_open',
    condition: (leased) => `rows.message_id || '/' || rows.leaf <> all(${leased}::text[])`,
  },
  (due) => `with ${due}, leased as (
     update deliveries set attempt = deliveries.attempt + 1, attempt_open = true,
            due_at = clock_timestamp() + $2 * interval '1 millisecond'
     from due
     where deliveries.message_id = due.message_id and deliveries.leaf = due.leaf
     returning deliveries.workspace_id, deliveries.message_id, deliveries.leaf, deliveries.lane, deliveries.channel, deliveries.integration,
               deliveries.provider, deliveries.more, deliveries.step, deliveries.attempt, deliveries.since_ms, deliveries.has_slot as "hasSlot", deliveries.announced as "isAnnounced",
               deliveries.last_error, deliveries.last_response, deliveries.routed_alias, due.attempt_open as orphaned
   )
   select leased.*, ${ALIAS_OF('leased')}, first.events as first_events, coalesce(stepped.events, first.events) as step_events
   from leased
   left join ${CONFIGURATION_OF('leased')}
   left join history first on first.message_id = leased.message_id and first.number = 1
   left join history stepped on stepped.message_id = leased.message_id and stepped.number = leased.step and leased.step > 1
   order by leased.workspace_id, leased.lane`,
);

/** Leases due deliveries. Skipped are those that this process works on, as `<uuid>/<leaf>`. */
export class DeliveryLeases extends DueQueue<LeasedRow> {
  constructor(database: Database) {
    super(database, STATEMENTS, LEASE_MS);
  }
}

/** An attempt under its lease: outcomes of any attempt but the row's open one are dropped. */
export interface AttemptKey {
  workspace_id: string;
  id: string;
  leaf: number;
  attempt: number;
}

/** The end of a delivery. */
export interface FinalOutcome extends AttemptKey {
  /** Whether the message has further steps; its open state has them. */
  more: boolean;
  record: LeafRecord;
  /** Start of the time limit of the message, ms since the epoch; absent where the delivery cannot be read. */
  since_ms?: number;
  at: number;
  events: readonly HistoryEvent[];
}

/** An attempt to be made again after `delay_ms`, with its error and response. */
export interface RetryOutcome extends AttemptKey {
  delay_ms: number;
  error: string;
  response?: Outcome['response'];
  at: number;
  events: readonly HistoryEvent[];
}

/** An attempt that was not made and is due after `delay_ms`. */
export interface PostponedOutcome extends AttemptKey {
  delay_ms: number;
  has_slot: boolean;
  /** Why the call was not made; absent where it waits for its slot. */
  wait_reason?: string;
}

const FINISH = statement(
  'messaging.finish_deliveries',
  `with input as (
     select * from json_to_recordset($1::json) as row(
       workspace_id uuid, id uuid, leaf smallint, attempt integer, status text, sent_at bigint, delivered_at bigint, reason text,
       error text, providers jsonb, at bigint, events json, count integer)
     where ${byKey('row.id')}
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
               ${LAST_EVENT_BEFORE} as at, finished.events
   )${HISTORY_OF_UPDATED}`,
);

const RETRY = statement(
  'messaging.retry_deliveries',
  `with input as (
     select * from json_to_recordset($1::json) as row(
       workspace_id uuid, id uuid, leaf smallint, attempt integer, delay_ms bigint, error text, response json, at bigint, events json,
       count integer)
     where ${byKey('row.id')}
   ), closed as (
     update deliveries set attempt_open = false, has_slot = false, announced = true,
            last_error = input.error, last_response = input.response, wait_reason = null, due_at = clock_timestamp() + input.delay_ms * interval '1 millisecond'
     from input
     where deliveries.message_id = input.id and deliveries.leaf = input.leaf
       and deliveries.attempt = input.attempt and deliveries.attempt_open
     returning input.*
   ), announced as (
     select workspace_id, id, sum(count) as count, max(at) as at, json_agg(events -> 0 order by leaf) as events
     from closed where count > 0 group by workspace_id, id
   ), updated as (
     update messages set last_number = messages.last_number + announced.count, last_event_at = greatest(messages.last_event_at, announced.at)
     from announced
     where messages.workspace_id = announced.workspace_id and messages.id = announced.id
     returning messages.workspace_id, messages.id, (messages.last_number - announced.count + 1)::integer as number,
               ${LAST_EVENT_BEFORE} as at, announced.events
   )${HISTORY_OF_UPDATED}`,
);

const POSTPONE = statement(
  'messaging.postpone_deliveries',
  `update deliveries set attempt = deliveries.attempt - 1, attempt_open = false, has_slot = input.has_slot, wait_reason = input.wait_reason,
          due_at = clock_timestamp() + input.delay_ms * interval '1 millisecond'
   from json_to_recordset($1::json) as input(id uuid, leaf smallint, attempt integer, delay_ms float8, has_slot boolean, wait_reason text)
   where deliveries.message_id = input.id and deliveries.leaf = input.leaf
     and deliveries.attempt = input.attempt and deliveries.attempt_open and ${byKey('input.id')}`,
);

const RENEW = statement(
  'messaging.renew_leases',
  // Rows locked by the end of an attempt are skipped: they need no lease any more.
  `with mine as (
     select deliveries.message_id, deliveries.leaf from deliveries
       join json_to_recordset($1::json) as input(id uuid, leaf smallint, attempt integer)
         on input.id = deliveries.message_id and input.leaf = deliveries.leaf
        and input.attempt = deliveries.attempt and deliveries.attempt_open
     where ${byKey('input.id')}
     order by deliveries.message_id, deliveries.leaf for update of deliveries skip locked
   )
   update deliveries set due_at = clock_timestamp() + $2 * interval '1 millisecond' from mine
   where deliveries.message_id = mine.message_id and deliveries.leaf = mine.leaf
   returning deliveries.message_id as id, deliveries.leaf`,
);

/**
 * Ends the only deliveries of their messages: deletes the row, updates message and history, in one statement. An outcome whose lease was
 * lost changes nothing. Resolves with the changes of the messages.
 */
export async function finishDeliveries(database: Queryable, outcomes: readonly FinalOutcome[]): Promise<StatusChange[]> {
  const rows = outcomes.map(({ more: _more, record, ...outcome }) => {
    return Object.assign({ providers: [record], count: outcome.events.length }, deriveStatus('ROUTED', [record], false), outcome);
  });
  if (rows.length === 0) return [];
  const [row] = await database.query<{ ids: string[] }>(FINISH, [JSON.stringify(rows)]);
  const finished = new Set(row?.ids);
  return rows.flatMap(({ workspace_id: workspaceId, id, status: after, at: atMs, since_ms: sinceMs = atMs }) =>
    finished.has(id) ? [{ workspaceId, before: 'ROUTED' as const, after, atMs, sinceMs }] : [],
  );
}

/** Closes attempts and sets when the next one is due. */
export async function scheduleRetries(database: Queryable, outcomes: readonly RetryOutcome[]): Promise<void> {
  const rows = outcomes.map((outcome) => ({ ...outcome, count: outcome.events.length }));
  if (rows.length > 0) await database.query(RETRY, [JSON.stringify(rows)]);
}

/** Undoes attempts whose calls were not made, and sets when they are due. */
export async function postponeDeliveries(database: Queryable, outcomes: readonly PostponedOutcome[]): Promise<void> {
  if (outcomes.length > 0) await database.query(POSTPONE, [JSON.stringify(outcomes)]);
}

/** Renews the leases of open calls; resolves with the renewed ones. The others ended or were leased by another process. */
export async function renewLeases(database: Queryable, attempts: readonly AttemptKey[]): Promise<Pick<AttemptKey, 'id' | 'leaf'>[]> {
  return attempts.length === 0 ? [] : database.query<Pick<AttemptKey, 'id' | 'leaf'>>(RENEW, [JSON.stringify(attempts), LEASE_MS]);
}
