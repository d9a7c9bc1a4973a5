import { SECOND_MS } from '@tidings/contracts/core/duration';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import { byKey } from '@tidings/persistence/by-key';
import { type Queryable, statement } from '@tidings/persistence/database';
import { columnsOf } from '@tidings/persistence/columns-of';
import type { LeafRecord } from '../record/leaf-record';
import { HISTORY_OF_UPDATED, LAST_EVENT_BEFORE } from '../record/sql';
import type { OpenState } from '../record/step-store';

/** A message, as its workspace and its id in the store. */
export interface MessageKey {
  readonly workspaceId: string;
  readonly uuid: string;
}

/** A locked message, as far as reports change it. */
export interface ReportedMessage extends MessageKey {
  readonly status: MessageStatus;
  readonly recipient: string;
  /** Its leaves that ended; null: none yet. */
  readonly providers: readonly LeafRecord[] | null;
}

/** The open state of a message with further steps. */
export interface ReportedOpenState {
  readonly uuid: string;
  readonly state: Omit<OpenState, 'stage' | 'lane' | 'dueMs'>;
}

/** A message after its reports. */
export interface MessageChange extends MessageKey {
  status: MessageStatus;
  reason?: MessageReason;
  error?: string;
  sent_at?: number;
  delivered_at?: number;
  opened_at?: number;
  clicked_at?: number;
  providers: readonly LeafRecord[];
  events: readonly HistoryEvent[];
}

/** An open state after its reports. `null`: the message has no further step. */
export interface OpenChange {
  uuid: string;
  state: ReportedOpenState['state'] | null;
  /** ms from now; absent: the next step starts with an event. */
  wait_ms?: number;
}

/** What an event of a stored step says of the address of a message. */
type AddressingEvent =
  | { readonly type: 'ENQUEUED'; readonly profile: EmailField }
  | { readonly type: 'PROFILE_LOADED'; readonly stored_profile: EmailField; readonly received_profile: EmailField | null }
  | {
      readonly type: 'RENDERED';
      readonly integration: string;
      /** Null: the recipient is the e-mail address of the profile that the same step loaded. */
      readonly channel: string | null;
      /** Null on channels without one address. */
      readonly address: string | null;
      /** An e-mail that others got as well. */
      readonly hasCopies: boolean;
    };
type EmailField = { readonly email?: unknown };
export type AddressingStep = readonly AddressingEvent[];

/** When an event is tried again whose message is not stored yet: most often the outcome of its call follows at once. */
export const PARKED_MS_MIN = SECOND_MS;

// SQL because messages have no entity, and one statement locks, changes or parks the rows of a whole batch.
const LOCK_OPEN = statement(
  'messaging.lock_open_of_reports',
  `select message_id as uuid, state from open_messages where message_id = any($1::uuid[]) order by message_id for update`,
);

const LOCK_MESSAGES = statement(
  'messaging.lock_reported_messages',
  `select messages.workspace_id as "workspaceId", messages.id as uuid, messages.status, messages.recipient, messages.providers,
          messages.enqueued_at::float8 as "enqueuedAt"
     from messages join unnest($1::uuid[], $2::uuid[]) as input (workspace_id, id)
       on messages.workspace_id = input.workspace_id and messages.id = input.id
    where ${byKey('input.id')}
    order by messages.id for update of messages`,
);

const UPDATE = statement(
  'messaging.update_reported_messages',
  `with input as (
     select * from json_to_recordset($1::json) as row(
       workspace_id uuid, id uuid, status text, reason text, error text, sent_at bigint, delivered_at bigint, opened_at bigint,
       clicked_at bigint, providers jsonb, at bigint, events json, count integer)
     where ${byKey('row.id')}
   ), changed as (
     update messages set status = input.status, reason = input.reason, error = input.error, sent_at = input.sent_at,
            delivered_at = input.delivered_at, opened_at = input.opened_at, clicked_at = input.clicked_at, providers = input.providers,
            last_number = messages.last_number + input.count, last_event_at = greatest(messages.last_event_at, input.at)
     from input
     where messages.workspace_id = input.workspace_id and messages.id = input.id
     returning messages.workspace_id, messages.id, messages.last_number - input.count + 1 as number, ${LAST_EVENT_BEFORE} as at,
               input.events, input.count
   ), updated as (
     select workspace_id, id, number, at, events from changed where count > 0
   )${HISTORY_OF_UPDATED}`,
);

const UPDATE_OPEN = statement(
  'messaging.update_open_of_reports',
  `update open_messages set turn = open_messages.turn + 1, state = input.state,
          due_at = clock_timestamp() + input.wait_ms * interval '1 millisecond'
     from json_to_recordset($1::json) as input(uuid uuid, state json, wait_ms bigint)
    where open_messages.message_id = input.uuid and ${byKey('input.uuid')}`,
);

const CLOSE = statement('messaging.close_open_of_reports', 'delete from open_messages where message_id = any($1::uuid[])');

/** The address of a stored profile, as an object that has it where the profile does. */
const EMAIL_OF = (field: string) =>
  `case when event.value -> '${field}' -> 'email' is null then '{}'::json
        else json_build_object('email', event.value -> '${field}' -> 'email') end`;

/** Addresses alone: contents of a batch may have many megabytes. */
const STEPS = statement(
  'messaging.steps_of_reports',
  `select history.message_id as uuid, step.events
     from history join unnest($1::uuid[], $2::uuid[]) as input (workspace_id, id)
       on history.message_id = input.id and history.workspace_id = input.workspace_id
    cross join lateral (
      select json_agg(case event.value ->> 'type'
               when 'ENQUEUED' then json_build_object('type', 'ENQUEUED', 'profile', ${EMAIL_OF('profile')})
               when 'PROFILE_LOADED' then json_build_object('type', 'PROFILE_LOADED', 'stored_profile', ${EMAIL_OF('stored_profile')},
                 'received_profile', case when event.value -> 'received_profile' is not null then ${EMAIL_OF('received_profile')} end)
               else json_build_object('type', 'RENDERED', 'integration', event.value -> 'integration' ->> 'id',
                 'channel', event.value -> 'to' ->> 'channel',
                 'address', coalesce(event.value -> 'to' ->> 'email', event.value -> 'to' ->> 'phone_number'),
                 'hasCopies', coalesce(event.value -> 'output' -> 'cc', event.value -> 'output' -> 'bcc') is not null)
             end order by event.ordinal) as events
        from json_array_elements(history.events) with ordinality as event (value, ordinal)
       where event.value ->> 'type' in ('ENQUEUED', 'PROFILE_LOADED', 'RENDERED')
    ) step
    where ${byKey('input.id')} and step.events is not null
    order by history.message_id, history.number`,
);

const PARK = statement(
  'messaging.park_provider_events',
  `insert into parked_provider_events (workspace_id, event_id, event, due_at)
   select workspace_id, event_id, event, clock_timestamp() + $2 * interval '1 millisecond'
     from json_to_recordset($1::json) as input(workspace_id uuid, event_id text, event json)
   on conflict do nothing`,
);

const CLAIM_PARKED = statement(
  'messaging.claim_parked_provider_events',
  `with due as materialized (
     select workspace_id, event_id from parked_provider_events where due_at <= clock_timestamp()
      order by due_at limit $1 for update skip locked
   )
   update parked_provider_events as parked
      set due_at = clock_timestamp() + least(greatest(clock_timestamp() - parked.parked_at, $2 * interval '1 millisecond'), $3 * interval '1 millisecond')
     from due where parked.workspace_id = due.workspace_id and parked.event_id = due.event_id
   returning parked.event, parked.parked_at < clock_timestamp() - $4 * interval '1 millisecond' as "isLate"`,
);

const NEXT_PARKED = statement(
  'messaging.next_parked_provider_event',
  'select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from parked_provider_events',
);

const UNPARK = statement(
  'messaging.unpark_provider_events',
  `delete from parked_provider_events as parked using unnest($1::uuid[], $2::text[]) as input (workspace_id, event_id)
    where parked.workspace_id = input.workspace_id and parked.event_id = input.event_id`,
);

/** Locks messages and their open states, in the order of every writer: open states first, each by id. */
export async function lockReported(tx: Queryable, keys: readonly MessageKey[]) {
  const open = await tx.query<ReportedOpenState>(LOCK_OPEN, [keys.map(({ uuid }) => uuid)]);
  const messages = await tx.query<ReportedMessage & { enqueuedAt: number }>(LOCK_MESSAGES, columnsOf(keys, 'workspaceId', 'uuid'));
  return { messages, open: new Map(open.map((one) => [one.uuid, one])) };
}

/** Stores messages after their reports, with their new events. */
export async function storeReported(tx: Queryable, changes: readonly MessageChange[], nowMs: number): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ workspaceId: workspace_id, uuid: id, events, ...columns }) => {
    return { workspace_id, id, ...columns, events, count: events.length, at: Math.min(nowMs, Math.max(0, ...events.map(({ ts }) => ts))) };
  });
  await tx.query(UPDATE, [JSON.stringify(rows)]);
}

/** Stores open states after the reports of their messages; a claim of one of them is void. */
export async function storeOpen(tx: Queryable, changes: readonly OpenChange[]): Promise<void> {
  const open = changes.filter(({ state }) => state !== null);
  if (open.length > 0) await tx.execute(UPDATE_OPEN, [JSON.stringify(open)]);
  const closed = changes.filter(({ state }) => state === null);
  if (closed.length > 0) await tx.execute(CLOSE, [closed.map(({ uuid }) => uuid)]);
}

/** The addresses in the stored steps of messages in order, by the id of the message in the store; none where the history is removed. */
export async function stepsOf(tx: Queryable, keys: readonly MessageKey[]): Promise<Map<string, AddressingStep[]>> {
  const steps = new Map<string, AddressingStep[]>();
  if (keys.length === 0) return steps;
  const rows = await tx.query<{ uuid: string; events: AddressingStep }>(STEPS, columnsOf(keys, 'workspaceId', 'uuid'));
  for (const { uuid, events } of rows) steps.set(uuid, [...(steps.get(uuid) ?? []), events]);
  return steps;
}

/** Parks events whose message is not stored yet. */
export async function parkEvents(tx: Queryable, events: readonly ProviderEventReported[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({ workspace_id: event.workspaceId, event_id: event.eventId, event }));
  await tx.execute(PARK, [JSON.stringify(rows), PARKED_MS_MIN]);
}

/** An event that was parked. */
export interface ParkedEvent {
  readonly event: ProviderEventReported;
  /** It waited as long as events wait at most. */
  readonly isLate: boolean;
}

/** Claims parked events that are due. Each is due again after as long as it was parked, within the bounds. */
export function claimParked(
  tx: Queryable,
  { limit, waitMsMax, lateMs }: { limit: number; waitMsMax: number; lateMs: number },
): Promise<ParkedEvent[]> {
  return tx.query<ParkedEvent>(CLAIM_PARKED, [limit, PARKED_MS_MIN, waitMsMax, lateMs]);
}

/** Until the next parked event is due, in ms; undefined where none is parked. */
export async function nextParkedMs(connection: Queryable): Promise<number | undefined> {
  const [row] = await connection.query<{ wait_ms: number | null }>(NEXT_PARKED);
  const waitMs = row?.wait_ms ?? undefined;
  return waitMs === undefined ? undefined : Math.max(0, waitMs);
}

/** Removes parked events that were applied or dropped. */
export async function unparkEvents(tx: Queryable, events: readonly ProviderEventReported[]): Promise<void> {
  if (events.length > 0) await tx.execute(UNPARK, columnsOf(events, 'workspaceId', 'eventId'));
}
