import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import { type Lane, LANES } from '@tidings/contracts/messaging/targets';
import type { Escalation } from '@tidings/contracts/messaging/timing/timeouts';
import { byKey } from '@tidings/persistence/by-key';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { LeafNames, LeafRecord } from './leaf-record';
import type { RoutingTree } from './routing-tree';
import { LAST_EVENT_BEFORE } from './sql';

/**
 * What an unfinished message waits for. `parked`: its round-robin share. `long`: a thread, because its rendering takes long. `delayed`:
 * the time that its sender set. `routed`: the outcomes of the routes that were started.
 */
export type Stage = 'parked' | 'long' | 'delayed' | 'routed';

/** A lane as rows store it, the most urgent first: the order of `LANES` must not change. */
export function laneNumber(lane: Lane): number {
  return LANES.indexOf(lane);
}

/** The lane of a stored number; `normal` for an unknown one. */
export function laneOf(number: number): Lane {
  return LANES[number] ?? 'normal';
}

/** State of a message that has further steps after its open deliveries. */
export interface OpenState {
  stage: Stage;
  /** ms since the epoch; absent: the next step starts with an event. */
  dueMs?: number;
  lane: Lane;
  /** From `routed` on. */
  tree?: RoutingTree;
  /** The leaves that have ended. */
  records?: readonly LeafRecord[];
  /** Its delay has passed; the pipeline resumes after it. */
  isDue?: true;
  /** When the next route is used although a provider accepted the message; absent also once the recipient reacted. */
  escalation?: Escalation;
}

/** A delivery that a step opens. */
export interface NewDelivery extends LeafNames {
  leaf: number;
  lane: Lane;
  /** Inserted as leased by this process, with its first attempt open; otherwise it waits for the lease query. */
  isLeased: boolean;
  /** Whether the message has further steps after it; its open state has them. */
  more: boolean;
  /** Start of the time limit of the message, ms since the epoch. */
  since_ms: number;
}

/** The result of one pipeline step of a message, stored in one commit. */
export interface MessageStep {
  workspaceId: string;
  /** The message id in the store. */
  uuid: string;
  /** Generation of the claimed open state; absent for a message that is not stored yet. */
  generation?: number;
  /** Its status before a later step, for the counts of messages; not stored. */
  before?: MessageStatus;
  /** From here on columns of `messages`, those up to `idempotency_key` of a new message; a later step omits those that stay. */
  status: MessageStatus;
  recipient?: string;
  event?: string;
  notification?: string;
  enqueued_at?: number;
  reason?: MessageReason;
  error?: string;
  tags?: readonly string[];
  trace_id?: string;
  request_id?: string;
  list_id?: string;
  tenant_id?: string;
  job_id?: string;
  idempotency_key?: string;
  providers?: readonly LeafRecord[];
  sent_at?: number;
  delivered_at?: number;
  /** Time of the last of `events`, ms since the epoch. */
  at: number;
  events: readonly HistoryEvent[];
  deliveries: readonly NewDelivery[];
  /** `null`: no further steps after its deliveries. */
  open: OpenState | null;
}

/** Lease of an attempt, renewed while the call is open. After it another process may repeat the attempt. */
export const LEASE_MS = 5_000;

// SQL because one statement stores message, history, deliveries and open state of a whole batch.
/**
 * Stores steps of messages: message, history, deliveries and open state, each message atomically.
 *
 * A new message that already exists, and a step of an old generation (the message was canceled, or claimed by another process), change
 * nothing. A step without events inserts no history row: the next row would have the same number.
 * Lock order: open state, message, history.
 */
const STORE_STEPS = statement(
  'messaging.store_steps',
  `with input as (
     select * from json_to_recordset($1::json) as row(
       workspace_id uuid, id uuid, generation integer, status text, recipient text, event text, notification text, enqueued_at bigint,
       reason text, error text, tags jsonb, trace_id text, request_id uuid, list_id text, tenant_id text, job_id text,
       idempotency_key text, providers jsonb, sent_at bigint, delivered_at bigint, at bigint, events json, count integer, closes boolean)
   ), inserted as (
     insert into messages (workspace_id, id, status, recipient, event, notification, enqueued_at, reason, error, tags, trace_id,
                           request_id, list_id, tenant_id, job_id, idempotency_key, providers, sent_at, delivered_at, last_number, last_event_at)
     select workspace_id, id, status, recipient, event, notification, enqueued_at, reason, error, tags, trace_id,
            request_id, list_id, tenant_id, job_id, idempotency_key, providers, sent_at, delivered_at, count, at
     from input where generation is null
     on conflict do nothing
     returning workspace_id, id, 1 as number, enqueued_at as at
   ), advanced as (
     select * from input where generation is not null and ${byKey('id')}
   ), mine as (
     select open_messages.message_id from open_messages join advanced on advanced.id = open_messages.message_id and advanced.generation = open_messages.turn
     order by open_messages.message_id
     for update of open_messages
   ), updated as (
     update messages set status = advanced.status, notification = coalesce(advanced.notification, messages.notification),
            reason = advanced.reason, error = advanced.error, tags = coalesce(advanced.tags, messages.tags), tenant_id = coalesce(advanced.tenant_id, messages.tenant_id),
            providers = coalesce(advanced.providers, messages.providers),
            sent_at = coalesce(advanced.sent_at, messages.sent_at), delivered_at = coalesce(advanced.delivered_at, messages.delivered_at),
            last_number = messages.last_number + advanced.count, last_event_at = greatest(messages.last_event_at, advanced.at)
     from advanced join mine on mine.message_id = advanced.id
     where messages.workspace_id = advanced.workspace_id and messages.id = advanced.id
     returning messages.workspace_id, messages.id, messages.last_number - advanced.count + 1 as number, ${LAST_EVENT_BEFORE} as at
   ), stored as (
     select * from inserted union all select * from updated
   ), opened as (
     insert into deliveries (message_id, leaf, workspace_id, lane, channel, integration, provider, routed_alias, step, more, since_ms,
                             attempt, attempt_open, due_at)
     select delivery.id, leaf, stored.workspace_id, lane, channel, integration, provider, alias, stored.number, more, since_ms,
            case when leased then 1 else 0 end, leased, clock_timestamp() + case when leased then $4 else 0 end * interval '1 millisecond'
     from json_to_recordset($2::json) as delivery(
       id uuid, leaf smallint, lane smallint, channel text, integration text, provider text, alias text, more boolean, since_ms bigint,
       leased boolean)
     join stored using (id)
   ), opened_state as (
     insert into open_messages as present (message_id, workspace_id, lane, stage, turn, due_at, state)
     select open.id, stored.workspace_id, lane, stage, 0, clock_timestamp() + wait_ms * interval '1 millisecond', state
     from json_to_recordset($3::json) as open(id uuid, lane smallint, stage text, wait_ms bigint, state json)
     join stored using (id)
     on conflict (message_id) do update
       set lane = excluded.lane, stage = excluded.stage, turn = present.turn + 1, due_at = excluded.due_at, state = excluded.state
   ), closed as (
     delete from open_messages using advanced join stored using (id) where open_messages.message_id = advanced.id and advanced.closes
   ), recorded as (
     select array_agg(input.workspace_id) as workspace_ids, array_agg(input.id) as ids, array_agg(stored.number) as numbers,
            array_agg(stored.at) as ats, array_agg(events) as event_rows
     from input join stored using (id) where input.count > 0
   )
   select changed.ids, append_history(workspace_ids, recorded.ids, numbers, ats, event_rows)
   from (select array_agg(id) as ids from stored) changed cross join recorded where changed.ids is not null`,
);

/** Resolves with the ids (uuid) of the messages whose step was stored. */
export async function storeSteps(database: Queryable, steps: readonly MessageStep[], nowMs: number): Promise<Set<string>> {
  if (steps.length === 0) return new Set();
  const ordered = [...steps].sort((one, other) => (one.uuid < other.uuid ? -1 : 1));
  const messages = ordered.map(({ workspaceId: workspace_id, uuid: id, deliveries: _deliveries, open: state, before: _before, ...row }) => {
    return { workspace_id, id, count: row.events.length, closes: state === null && row.generation !== undefined, ...row };
  });
  const deliveries = ordered.flatMap(({ uuid, deliveries: opened }) =>
    opened.map(({ isLeased: leased, lane, ...delivery }) => ({ id: uuid, leased, lane: laneNumber(lane), ...delivery })),
  );
  const open = ordered.flatMap(({ uuid, open: state }) => {
    if (!state) return [];
    const { stage, dueMs, lane, ...rest } = state;
    const wait_ms = dueMs === undefined ? undefined : Math.max(0, Math.ceil(dueMs - nowMs));
    return [{ id: uuid, lane: laneNumber(lane), stage, wait_ms, state: rest }];
  });
  const values = [JSON.stringify(messages), JSON.stringify(deliveries), JSON.stringify(open), LEASE_MS];
  const [row] = await database.query<{ ids: string[] }>(STORE_STEPS, values);
  return new Set(row?.ids);
}
