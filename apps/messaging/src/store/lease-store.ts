import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { type Database, statement } from '@tidings/persistence/database';
import { dueRoundRobin, RoundRobinCursor } from './fair-due';
import type { Lane } from '@tidings/contracts/messaging/targets';
import { laneOf } from './step';
import { LEASE_MS } from './step-store';

/** A delivery this process has just leased: its next attempt is open and committed. */
export interface LeasedRow {
  workspace_id: string;
  message_id: string;
  leaf: number;
  lane: Lane;
  channel: string;
  integration: string;
  provider: string;
  more: boolean;
  has_slot: boolean;
  /** The history tells that it was begun. */
  announced: boolean;
  attempt: number;
  /** The attempt before this one was open when its lease ran out: whether its call went through is unknown. */
  orphaned: boolean;
  notification: string;
  /** From when the time limit of the message counts, ms since the epoch. */
  since_ms: number;
  /** The first step of the message, with its request, and the step that opened the delivery, with what was rendered. */
  first_events: HistoryEvent[] | null;
  step_events: HistoryEvent[] | null;
}

type Row = Omit<LeasedRow, 'lane' | 'since_ms'> & { lane: number; since_ms: string };

/** A message may have several deliveries at once, so each is held by its own name. */
const notHeld = (parameter: string): string => `message_id || '/' || leaf <> all(${parameter}::text[])`;

const due = dueRoundRobin('deliveries', 'rows.message_id, rows.leaf, rows.attempt_open', notHeld('$2'));

const leasing = (which: string): string => `with ${which}, leased as (
     update deliveries set attempt = deliveries.attempt + 1, attempt_open = true,
            due_at = clock_timestamp() + $3 * interval '1 millisecond'
     from due
     where deliveries.message_id = due.message_id and deliveries.leaf = due.leaf
     returning deliveries.workspace_id, deliveries.message_id, deliveries.leaf, deliveries.lane, deliveries.channel, deliveries.integration,
               deliveries.provider, deliveries.more, deliveries.step, deliveries.attempt, deliveries.since_ms, deliveries.has_slot, deliveries.announced,
               due.attempt_open as orphaned
   )
   select leased.*, coalesce(messages.notification, '') as notification,
          first.events as first_events, coalesce(stepped.events, first.events) as step_events
   from leased
   left join messages on messages.workspace_id = leased.workspace_id and messages.id = leased.message_id
   left join history first on first.message_id = leased.message_id and first.number = 1
   left join history stepped on stepped.message_id = leased.message_id and stepped.number = leased.step and leased.step > 1
   order by leased.workspace_id, leased.lane`;

const LEASE_OLDEST = statement('messaging.lease_oldest', leasing(due.oldest));
const LEASE_IN_TURN = statement('messaging.lease_in_turn', leasing(due.inTurn));

const NEXT_DUE = statement(
  'messaging.next_due',
  `select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from deliveries where ${notHeld('$1')}`,
);

/** Leases deliveries that are due, owners in turn where more are due than fit. */
export class DeliveryLeases {
  private readonly turns = new RoundRobinCursor();

  constructor(private readonly database: Database) {}

  /** Up to `limit`, except those in `held` (`<uuid>/<leaf>`, with which this process is busy) and, where they are many, of owners in `full`. */
  async take(limit: number, held: readonly string[], full: readonly string[]): Promise<LeasedRow[]> {
    const rows = await this.turns.take<Row>(limit, full, (values) =>
      this.database.query<Row>(values ? LEASE_IN_TURN : LEASE_OLDEST, [limit, held, LEASE_MS, ...(values ?? [])]),
    );
    return rows.map((row) => ({ ...row, lane: laneOf(row.lane), since_ms: Number(row.since_ms) }));
  }

  /** Milliseconds until the next delivery is due (0 or less: now), `undefined` when none waits. */
  async nextDueMs(held: readonly string[]): Promise<number | undefined> {
    const [row] = await this.database.query<{ wait_ms: number | null }>(NEXT_DUE, [held]);
    return row?.wait_ms ?? undefined;
  }
}
