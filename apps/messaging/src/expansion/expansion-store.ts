import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { type Database, type Queryable, statement, type Transaction } from '@tidings/persistence/database';
import { dueRoundRobin, RoundRobinCursor } from '../store/fair-due';
import type { Claim } from '../store/lease-renewer';
import { laneNumber, type MessageStep } from '../store/step';
import { storeSteps } from '../store/step-store';
import { WORK_LEASE_MS } from '../store/work-times';
import type { NoRecipients } from './no-recipients';

/** How far the expansion of a request came. */
export interface Progress {
  /** The target, by its number. */
  target: number;
  /** Within it; absent: at its beginning. */
  cursor?: string;
  /** Recipients found so far. */
  found: number;
  /** Of each target passed, while there are none: why. */
  noRecipients?: NoRecipients[];
}

/** A request this process has just taken up. */
export interface Expansion {
  workspace_id: string;
  lane: number;
  request_id: string;
  generation: number;
  request: MessageRequested;
  progress: Progress;
}

/** What is written down of a page elsewhere. */
type Settle = (tx: Transaction) => Promise<void>;

const OPEN = statement(
  'messaging.open_expansions',
  `insert into expansions (request_id, workspace_id, lane, turn, due_at, request, progress)
   select id, workspace_id, lane, 0, clock_timestamp(), request, '{"target": 0, "found": 0}'
   from json_to_recordset($1::json) as row(id uuid, workspace_id uuid, lane smallint, request json)
   on conflict do nothing`,
);

const due = dueRoundRobin('expansions', 'rows.request_id', '$2::integer is not null');

// Turns go on behind the owner of the last row.
const taking = (which: string): string => `with ${which}, taken as (
     update expansions set turn = expansions.turn + 1, due_at = clock_timestamp() + $3 * interval '1 millisecond'
     from due where expansions.request_id = due.request_id
     returning expansions.workspace_id, expansions.lane, expansions.request_id, expansions.turn as generation, expansions.request, expansions.progress
   )
   select * from taken order by workspace_id, lane`;

const TAKE_OLDEST = statement('messaging.take_oldest_expansions', taking(due.oldest));
const TAKE_IN_TURN = statement('messaging.take_expansions_in_turn', taking(due.inTurn));

const ADVANCE = statement(
  'messaging.advance_expansion',
  // The turn is over: a renewal of its lease that comes late must not keep the next page waiting.
  `update expansions set progress = $3, turn = turn + 1, due_at = clock_timestamp() + $4 * interval '1 millisecond'
   where request_id = $1 and turn = $2`,
);
const RENEW = statement(
  'messaging.renew_expansions',
  `with mine as (
     select expansions.request_id from expansions join json_to_recordset($1::json) as input(id uuid, generation integer)
       on input.id = expansions.request_id and input.generation = expansions.turn
     order by expansions.request_id for update of expansions skip locked
   )
   update expansions set due_at = clock_timestamp() + $2 * interval '1 millisecond' from mine where expansions.request_id = mine.request_id`,
);
const CLOSE = statement('messaging.close_expansion', 'delete from expansions where request_id = $1 and turn = $2');

const NEXT_DUE = statement(
  'messaging.next_expansion_due',
  'select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from expansions',
);

/** Whoever ends the request waits for a page that is being stored, and of the next one this finds nothing. */
const HOLD = statement(
  'messaging.hold_expansion',
  `update expansions set due_at = clock_timestamp() + $3 * interval '1 millisecond' where request_id = $1 and turn = $2`,
);

const HAS_RECORD = statement('messaging.expansion_has_record', 'select from messages where workspace_id = $1 and id = $2');

const BACKLOG = statement(
  'messaging.backlog_of_owner',
  `select count(*)::integer as backlog from (
     select from deliveries
     where workspace_id = $1 and lane = $2 and not attempt_open and due_at < clock_timestamp() + interval '1 minute' limit $3
   ) waiting`,
);

/** Keeps requests until each of their recipients has a message. A request that is there already stays as it is. */
export async function openExpansions(database: Queryable, requests: readonly MessageRequested[]): Promise<void> {
  if (requests.length === 0) return;
  const rows = requests.map((request) => ({
    id: requireMessageUuid(request.id),
    workspace_id: request.workspaceId,
    lane: laneNumber(request.lane ?? 'bulk'),
    request,
  }));
  await database.query(OPEN, [JSON.stringify(rows)]);
}

/** Takes up requests that are to be expanded, owners in turn. */
export class Expansions {
  private readonly turns = new RoundRobinCursor();

  constructor(
    private readonly database: Database,
    private readonly leaseMs = WORK_LEASE_MS,
  ) {}

  take(limit: number): Promise<Expansion[]> {
    return this.turns.take<Expansion>(limit, [], (values) =>
      this.database.query<Expansion>(values ? TAKE_IN_TURN : TAKE_OLDEST, [limit, 0, this.leaseMs, ...(values ?? [])]),
    );
  }

  /**
   * Where to go on, and in how many ms. A request that somebody else took up meanwhile stays as it is, and `settle`, which is
   * committed together with the progress, is not called.
   */
  async advance({ request_id, generation }: Expansion, progress: Progress, waitMs: number, settle?: Settle): Promise<void> {
    const values = [request_id, generation, JSON.stringify(progress), waitMs];
    if (!settle) await this.database.execute(ADVANCE, values);
    else await this.database.transaction(async (tx) => (await tx.execute(ADVANCE, values)) > 0 && settle(tx));
  }

  /**
   * Stores messages of the request while it is still open, and in these hands; else nothing: it was canceled, somebody was taken out
   * of it, or somebody else took it up. Resolves as `storeSteps`. Locks are taken in the order: request, then as there.
   */
  store({ request_id, generation }: Expansion, steps: readonly MessageStep[], nowMs: number): Promise<Set<string>> {
    return this.database.transaction(async (tx) => {
      const isHeld = (await tx.execute(HOLD, [request_id, generation, this.leaseMs])) > 0;
      return isHeld ? storeSteps(tx, steps, nowMs) : new Set<string>();
    });
  }

  /** Keeps the leases of requests whose pages take long. */
  async renew(held: readonly Claim[]): Promise<void> {
    await this.database.execute(RENEW, [JSON.stringify(held), this.leaseMs]);
  }

  /** Every recipient has a message. `settle` as in `advance`. */
  async close({ request_id, generation }: Expansion, settle?: Settle): Promise<void> {
    if (!settle) await this.database.execute(CLOSE, [request_id, generation]);
    else await this.database.transaction(async (tx) => (await tx.execute(CLOSE, [request_id, generation])) > 0 && settle(tx));
  }

  /** Whether the request has a record of its own: it was canceled, or ended. A log that is read again opens it again. */
  async hasRecord({ workspace_id, request_id }: Expansion): Promise<boolean> {
    return (await this.database.query(HAS_RECORD, [workspace_id, request_id])).length > 0;
  }

  /** Deliveries of the request's workspace and lane that are to be made soon, counted up to `max`: what has a late slot holds up nobody. */
  async backlog({ workspace_id, lane }: Expansion, max: number): Promise<number> {
    const [row] = await this.database.query<{ backlog: number }>(BACKLOG, [workspace_id, lane, max]);
    return row?.backlog ?? 0;
  }

  /** Milliseconds until the next one is due (0 or less: now), `undefined` when there is none. */
  async nextDueMs(): Promise<number | undefined> {
    const [row] = await this.database.query<{ wait_ms: number | null }>(NEXT_DUE);
    return row?.wait_ms ?? undefined;
  }
}
