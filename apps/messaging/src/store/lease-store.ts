import type { HistoryEvent } from '@tidings/contracts/messaging/messages';
import { type Database, statement } from '@tidings/persistence/database';
import { LEASE_MS } from './routed-store';

/** A delivery this process has just leased: its next attempt is open and committed. */
export interface LeasedRow {
  workspace_id: string;
  message_id: string;
  leaf: number;
  channel: string;
  provider: string;
  attempt: number;
  /** The attempt before this one was open when its lease ran out: whether its call went through is unknown. */
  orphaned: boolean;
  enqueued_at: string | null;
  /** The events of routing: profile and rendered output are among them. */
  events: HistoryEvent[] | null;
}

const LEASE_DUE = statement(
  'messaging.lease_due',
  `with due as (
     select message_id, leaf, attempt_open from deliveries
     where due_at <= clock_timestamp() and message_id <> all($1::uuid[])
     order by due_at
     limit $2
     for update skip locked
   ), leased as (
     update deliveries set attempt = deliveries.attempt + 1, attempt_open = true,
            due_at = clock_timestamp() + $3 * interval '1 millisecond'
     from due
     where deliveries.message_id = due.message_id and deliveries.leaf = due.leaf
     returning deliveries.workspace_id, deliveries.message_id, deliveries.leaf, deliveries.channel, deliveries.provider,
               deliveries.attempt, due.attempt_open as orphaned
   )
   select leased.*, messages.enqueued_at, history.events
   from leased
   left join messages on messages.workspace_id = leased.workspace_id and messages.id = leased.message_id
   left join history on history.message_id = leased.message_id and history.number = 1`,
);

const NEXT_DUE = statement(
  'messaging.next_due',
  `select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from deliveries where message_id <> all($1::uuid[])`,
);

/** Leases up to `limit` deliveries that are due, except those of messages in `held` (uuids this process is busy with). */
export function leaseDue(database: Database, held: readonly string[], limit: number): Promise<LeasedRow[]> {
  return database.query<LeasedRow>(LEASE_DUE, [held, limit, LEASE_MS]);
}

/** Milliseconds until the next delivery is due (0 or less: now), `undefined` when none waits. */
export async function nextDueMs(database: Database, held: readonly string[]): Promise<number | undefined> {
  const [row] = await database.query<{ wait_ms: number | null }>(NEXT_DUE, [held]);
  return row?.wait_ms ?? undefined;
}
