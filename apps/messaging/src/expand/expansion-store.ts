import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { requireMessageUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { ClaimQueue } from '@tidings/jobs/claim-queue';
import { claimStatements } from '@tidings/jobs/due-statements';
import { byKey } from '@tidings/persistence/by-key';
import { type Database, type Queryable, type Statement, statement, type Transaction } from '@tidings/persistence/database';
import { laneNumber } from '../record/step-store';
import type { NoRecipients } from './derive';

/** Position of an expansion; stored as JSON in its row. */
export interface Progress {
  /** Index of the current target. */
  target: number;
  /** Cursor within the target; absent: at its beginning. */
  cursor?: string;
  /** Recipients found so far. */
  found: number;
  /** One reason per completed target, as long as no recipient was found. */
  noRecipients?: NoRecipients[];
}

/** The expansion of a request, claimed by this process. */
export interface Expansion {
  workspace_id: string;
  lane: number;
  request_id: string;
  generation: number;
  /** The worker before lost its lease: it may have called providers of the next page. */
  orphaned: boolean;
  request: MessageRequested;
  progress: Progress;
}

/** Stores results of a page in the transaction of its progress. */
type Settle = (tx: Transaction) => Promise<void>;

// SQL because expansions are claimed with skip locked, and written only under the generation of the claim.
const OPEN = statement(
  'messaging.open_expansions',
  `insert into expansions (request_id, workspace_id, lane, turn, due_at, request, progress)
   select id, workspace_id, lane, 0, clock_timestamp(), request, '{"target": 0, "found": 0}'
   from json_to_recordset($1::json) as row(id uuid, workspace_id uuid, lane smallint, request json)
   on conflict do nothing`,
);

const STATEMENTS = claimStatements('messaging.expansions', {
  table: 'expansions',
  key: 'request_id',
  columns: ['request', 'progress'],
});

const ADVANCE = statement(
  'messaging.advance_expansion',
  // Advances the generation: a late renewal of the old lease must not delay the next page.
  `update expansions set progress = $3, turn = turn + 1, due_at = clock_timestamp() + $4 * interval '1 millisecond'
   where request_id = $1 and turn = $2`,
);
const CLOSE = statement('messaging.close_expansion', 'delete from expansions where request_id = $1 and turn = $2');

/** Locks the row until the commit, at most for one lease after the last statement: what ends the request waits. Then no row matches. */
const LOCK = statement(
  'messaging.lock_expansion',
  `select from expansions
   where request_id = $1 and turn = $2 and set_config('idle_in_transaction_session_timeout', $3, true) is not null
   for update`,
);

const STORED = statement(
  'messaging.stored_of_page',
  `select messages.id from unnest($2::uuid[]) as input(id) join messages on messages.workspace_id = $1 and messages.id = input.id
   where ${byKey('input.id')}`,
);

const HAS_RECORD = statement('messaging.expansion_has_record', 'select from messages where workspace_id = $1 and id = $2');

const BACKLOG = statement(
  'messaging.backlog_of_owner',
  `select count(*) = $3 as is_full from (
     select from deliveries
     where workspace_id = $1 and lane = $2 and not attempt_open and due_at < clock_timestamp() + interval '1 minute' limit $3
   ) waiting`,
);

/** Stores requests for expansion. A request that is already stored stays as it is. */
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

/** Claims requests to expand, round-robin over workspaces and lanes. */
export class Expansions extends ClaimQueue<Expansion> {
  constructor(database: Database, leaseMs?: number) {
    super(database, STATEMENTS, leaseMs);
  }

  /**
   * Stores the progress and schedules the next page in `waitMs` ms. A request that another worker claimed meanwhile stays as it is.
   * `settle` runs in the same transaction, and only where this worker still has the lease.
   */
  advance({ request_id, generation }: Expansion, progress: Progress, waitMs: number, settle?: Settle): Promise<void> {
    return this.run(ADVANCE, [request_id, generation, JSON.stringify(progress), waitMs], settle);
  }

  /**
   * Runs `work`, which calls and stores messages of the request as long as `hold` resolves with true: the request is open and this worker
   * has its lease; not where it was canceled, a user was erased from it, or another worker claimed it. Meanwhile these wait until
   * `work` has ended. Lock order: request, then as `storeSteps`, on other connections.
   */
  during<Result>({ request_id, generation }: Expansion, work: (hold: () => Promise<boolean>) => Promise<Result>): Promise<Result> {
    return this.database.transaction((tx) =>
      work(async () => (await tx.query(LOCK, [request_id, generation, String(this.leaseMs)])).length > 0),
    );
  }

  /** Which of these messages are stored. */
  async stored({ workspace_id }: Expansion, ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(STORED, [workspace_id, ids.map((id) => requireMessageUuid(id))]);
    return new Set(rows.map(({ id }) => uuidToMessageId(id)));
  }

  /** Ends the expansion: every recipient has a message. `settle` as in `advance`. */
  close({ request_id, generation }: Expansion, settle?: Settle): Promise<void> {
    return this.run(CLOSE, [request_id, generation], settle);
  }

  private async run(change: Statement, values: readonly unknown[], settle?: Settle) {
    if (!settle) await this.database.execute(change, values);
    else await this.database.transaction(async (tx) => (await tx.execute(change, values)) > 0 && settle(tx));
  }

  /** Whether the request has a record: it was canceled or ended. A replayed log record may have opened it again. */
  async hasRecord({ workspace_id, request_id }: Expansion): Promise<boolean> {
    return (await this.database.query(HAS_RECORD, [workspace_id, request_id])).length > 0;
  }

  /** Whether `max` deliveries of the workspace and lane are due within a minute. Later ones delay no other message. */
  async hasBacklog({ workspace_id, lane }: Expansion, max: number): Promise<boolean> {
    const [row] = await this.database.query<{ is_full: boolean }>(BACKLOG, [workspace_id, lane, max]);
    return row!.is_full;
  }
}
