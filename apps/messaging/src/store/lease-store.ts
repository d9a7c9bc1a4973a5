import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { Database } from '@tidings/persistence/database';
import { DueQueue, dueStatements } from './fair-due';
import type { LeafNames } from './leaf-record';
import { LEASE_MS } from './step-store';

/** A delivery that this process has just leased: its next attempt is open and committed. */
export interface LeasedRow extends LeafNames {
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
  notification: string;
  /** Start of the time limit of the message, ms since the epoch. */
  since_ms: string;
  /** The first step of the message, with its request, and the step that opened the delivery, with its content. */
  first_events: HistoryEvent[] | null;
  step_events: HistoryEvent[] | null;
}

/** A message may have several deliveries at once, so message and leaf identify one. */
const STATEMENTS = dueStatements(
  'deliveries',
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
               due.attempt_open as orphaned
   )
   select leased.*, coalesce(messages.notification, '') as notification,
          first.events as first_events, coalesce(stepped.events, first.events) as step_events
   from leased
   left join messages on messages.workspace_id = leased.workspace_id and messages.id = leased.message_id
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
