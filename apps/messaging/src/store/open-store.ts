import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { type Database, statement } from '@tidings/persistence/database';
import { byKey } from './by-key';
import { dueRoundRobin, RoundRobinCursor } from './fair-due';
import type { Claim } from './lease-renewer';
import type { OpenState, Stage } from './step';
import { WORK_LEASE_MS } from './work-times';

/** An open message that this process has just claimed. */
export interface ClaimedRow {
  workspace_id: string;
  lane: number;
  message_id: string;
  stage: Stage;
  generation: number;
  state: Omit<OpenState, 'stage' | 'lane' | 'dueMs'>;
  status: MessageStatus;
  /** Its steps so far, in their order. */
  steps: HistoryEvent[][];
}

/** Messages that wait for a thread, and all others: each kind has its own index of due rows. */
const KINDS = {
  apart: { name: 'apart', condition: `stage = 'long'` },
  together: { name: 'together', condition: `stage <> 'long'` },
} as const;

type OpenKind = keyof typeof KINDS;

const claiming = (dueRows: string): string => `with ${dueRows}, claimed as (
     update open_messages set turn = open_messages.turn + 1, due_at = clock_timestamp() + $3 * interval '1 millisecond'
     from due where open_messages.message_id = due.message_id
     returning open_messages.workspace_id, open_messages.lane, open_messages.message_id, open_messages.stage, open_messages.turn as generation, open_messages.state
   )
   select claimed.*, messages.status, past.steps
   from claimed
   join messages on messages.workspace_id = claimed.workspace_id and messages.id = claimed.message_id
   cross join lateral (select json_agg(events order by number) as steps from history where history.message_id = claimed.message_id) past
   order by claimed.workspace_id, claimed.lane`;

function statementsOf({ name, condition }: (typeof KINDS)[OpenKind]) {
  const due = dueRoundRobin('open_messages', 'rows.message_id', `rows.${condition} and $2::integer is not null`);
  return {
    claimOldest: statement(`messaging.claim_oldest_open_${name}`, claiming(due.oldest)),
    claimRoundRobin: statement(`messaging.claim_open_${name}_round_robin`, claiming(due.inTurn)),
    nextDue: statement(
      `messaging.next_open_${name}_due`,
      `select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from open_messages where ${condition}`,
    ),
  };
}

const STATEMENTS = { apart: statementsOf(KINDS.apart), together: statementsOf(KINDS.together) };

const RENEW = statement(
  'messaging.renew_open_messages',
  `with mine as (
     select open_messages.message_id from open_messages join json_to_recordset($1::json) as input(id uuid, generation integer)
       on input.id = open_messages.message_id and input.generation = open_messages.turn
     where ${byKey('input.id')}
     order by open_messages.message_id for update of open_messages skip locked
   )
   update open_messages set due_at = clock_timestamp() + $2 * interval '1 millisecond'
   from mine where open_messages.message_id = mine.message_id`,
);

/** Claims due open messages of one kind; owners are served round-robin where more are due than fit. */
export class OpenMessages {
  private readonly cursor = new RoundRobinCursor();

  constructor(
    private readonly database: Database,
    private readonly kind: OpenKind,
    private readonly leaseMs = WORK_LEASE_MS,
  ) {}

  /** Claims up to `limit` messages. */
  take(limit: number): Promise<ClaimedRow[]> {
    const { claimOldest, claimRoundRobin } = STATEMENTS[this.kind];
    return this.cursor.take<ClaimedRow>(limit, [], (values) =>
      this.database.query<ClaimedRow>(values ? claimRoundRobin : claimOldest, [limit, 0, this.leaseMs, ...(values ?? [])]),
    );
  }

  /** Renews the leases of slow messages. Rows locked by the storing of a step are skipped: they need no lease any more. */
  async renew(claims: readonly Claim[]): Promise<void> {
    await this.database.execute(RENEW, [JSON.stringify(claims), this.leaseMs]);
  }

  /** Milliseconds until the next message is due (0 or less: now), `undefined` when none waits. */
  async nextDueMs(): Promise<number | undefined> {
    const [row] = await this.database.query<{ wait_ms: number | null }>(STATEMENTS[this.kind].nextDue);
    return row?.wait_ms ?? undefined;
  }
}
