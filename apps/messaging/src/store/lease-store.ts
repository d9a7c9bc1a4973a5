import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { type Database, statement } from '@tidings/persistence/database';
import { dueRoundRobin, RoundRobinCursor } from './fair-due';
import type { Lane } from '@tidings/contracts/messaging/targets';
import { laneOf } from './step';
import { LEASE_MS } from './step-store';

/** A delivery that this process has just leased: its next attempt is open and committed. */
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
  /** The history has its DELIVERING event. */
  announced: boolean;
  attempt: number;
  /** The attempt before this one was open when its lease ran out: whether its call went through is unknown. */
  orphaned: boolean;
  notification: string;
  /** Start of the time limit of the message, ms since the epoch. */
  since_ms: number;
  /** The first step of the message, with its request, and the step that opened the delivery, with its content. */
  first_events: HistoryEvent[] | null;
  step_events: HistoryEvent[] | null;
}

type Row = Omit<LeasedRow, 'lane' | 'since_ms'> & { lane: number; since_ms: string };

/** A message may have several deliveries at once, so message and leaf identify one. */
const notLeased = (parameter: string): string => `message_id || '/' || leaf <> all(${parameter}::text[])`;

const due = dueRoundRobin('deliveries', 'rows.message_id, rows.leaf, rows.attempt_open', notLeased('$2'));

const leasing = (dueRows: string): string => `with ${dueRows}, leased as (
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
const LEASE_ROUND_ROBIN = statement('messaging.lease_round_robin', leasing(due.inTurn));

const NEXT_DUE = statement(
  'messaging.next_due',
  `select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from deliveries where ${notLeased('$1')}`,
);

/** Leases due deliveries; owners are served round-robin where more are due than fit. */
export class DeliveryLeases {
  private readonly cursor = new RoundRobinCursor();

  constructor(private readonly database: Database) {}

  /**
   * Leases up to `limit` deliveries.
   * @param leased deliveries that this process works on, as `<uuid>/<leaf>`; not leased again.
   * @param full owners at their limit, as `ownerName`; their deliveries are skipped.
   */
  async take(limit: number, leased: readonly string[], full: readonly string[]): Promise<LeasedRow[]> {
    const rows = await this.cursor.take<Row>(limit, full, (values) =>
      this.database.query<Row>(values ? LEASE_ROUND_ROBIN : LEASE_OLDEST, [limit, leased, LEASE_MS, ...(values ?? [])]),
    );
    return rows.map((row) => ({ ...row, lane: laneOf(row.lane), since_ms: Number(row.since_ms) }));
  }

  /** Milliseconds until the next delivery not in `leased` is due (0 or less: now), `undefined` when none waits. */
  async nextDueMs(leased: readonly string[]): Promise<number | undefined> {
    const [row] = await this.database.query<{ wait_ms: number | null }>(NEXT_DUE, [leased]);
    return row?.wait_ms ?? undefined;
  }
}
