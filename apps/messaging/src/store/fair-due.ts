import { type Database, type Statement, statement } from '@tidings/persistence/database';
import { type Claim, DuePoller, WORK_LEASE_MS, type WorkTimes } from './leased-work';
import { byKey } from './sql';

/** Owners (pairs of workspace and lane) that one poll visits at most. */
const OWNERS_MAX = 5_000;

/** The lowest possible owner. */
const FIRST_OWNER: Owner = { workspaceId: '00000000-0000-0000-0000-000000000000', lane: -1 };

/** Rows of different owners are served round-robin. */
interface Owner {
  workspaceId: string;
  lane: number;
}

/** An owner as text, for statements and permits. */
export function ownerName({ workspaceId, lane }: Owner): string {
  return `${workspaceId}:${lane}`;
}

/** Statements of a table with `workspace_id`, `lane`, `due_at`: two that claim due rows, and one that reads when the next is due. */
export interface DueStatements {
  readonly oldest: Statement;
  readonly roundRobin: Statement;
  readonly nextDue: Statement;
}

interface DueTable {
  readonly table: string;
  /** The columns that `claiming` needs of due rows, without `workspace_id` and `lane`. */
  readonly columns: string;
  /** A condition on `rows`; `skipped` is the parameter of rows to be skipped. */
  condition(skipped: string): string;
}

/**
 * The statements of a queue. `claiming` completes a CTE `due` to a statement that claims its rows for `$2` ms and returns them in the order
 * of their owners: the round-robin continues after the owner of the last row. Due rows are locked, skipping those that other processes have
 * locked. A subquery evaluates the time once, so an index on `due_at` is read only up to it: rows due later cost nothing, however many.
 *
 * - `oldest`: the rows due longest, up to `$1`. Fair as long as these are all due rows.
 * - `roundRobin`: up to `$5` rows of each owner after the owner (`$3`, `$4`), without the owners in `$6`: however many rows of one owner are
 *   due, the next owners get theirs. Owners are visited one by one, in their order, until there are enough rows; an `order by` would make
 *   PostgreSQL read all of them, and lock their rows, first.
 */
export function dueStatements(name: string, { table, columns, condition }: DueTable, claiming: (due: string) => string): DueStatements {
  const selected = `rows.workspace_id, rows.lane, ${columns}`;
  return {
    oldest: statement(
      `messaging.${name}_oldest`,
      claiming(`due as (
      select ${selected} from ${table} rows
      where due_at <= (select clock_timestamp()) and ${condition('$3')}
      order by due_at limit $1 for update skip locked
    )`),
    ),
    roundRobin: statement(
      `messaging.${name}_round_robin`,
      claiming(`recursive owners as (
      select first.workspace_id, first.lane, 1 as step from (
        select workspace_id, lane from ${table} where (workspace_id, lane) > ($3::uuid, $4::smallint) order by workspace_id, lane limit 1
      ) first
      union all
      select next.workspace_id, next.lane, owners.step + 1 from owners cross join lateral (
        select workspace_id, lane from ${table} where (workspace_id, lane) > (owners.workspace_id, owners.lane) order by workspace_id, lane limit 1
      ) next
      where owners.step < ${OWNERS_MAX}
    ), due as (
      select owned.* from owners cross join lateral (
        select ${selected} from ${table} rows
        where rows.workspace_id = owners.workspace_id and rows.lane = owners.lane and due_at <= (select clock_timestamp()) and ${condition('$7')}
        order by due_at limit $5 for update skip locked
      ) owned
      where owners.workspace_id || ':' || owners.lane <> all($6::text[])
      limit $1
    )`),
    ),
    nextDue: statement(
      `messaging.${name}_next_due`,
      `select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from ${table} rows where ${condition('$1')}`,
    ),
  };
}

/** Least rows of one owner in one round-robin poll. */
const SHARE_MIN = 4;

/** State of a round-robin: whether more rows are due than one poll returns, and the owner visited last. */
export class RoundRobinCursor {
  private crowded = false;
  private last = FIRST_OWNER;

  /**
   * Claims rows with `query`: the oldest (no values), or round-robin (values for `$3` to `$6`). Round-robin as long as a whole round finds
   * at least `limit` rows.
   */
  async claim<Row extends { workspace_id: string; lane: number }>(
    limit: number,
    full: readonly string[],
    query: (roundRobin?: unknown[]) => Promise<Row[]>,
  ): Promise<Row[]> {
    if (!this.crowded && full.length === 0) {
      const rows = await query();
      this.crowded = rows.length === limit;
      return rows;
    }
    const { last } = this;
    const share = Math.max(SHARE_MIN, Math.ceil(limit / SHARE_MIN));
    const rows = await query([last.workspaceId, last.lane, share, full]);
    const end = rows.at(-1);
    this.last = end && rows.length === limit ? { workspaceId: end.workspace_id, lane: end.lane } : FIRST_OWNER;
    // The next poll is round-robin again, unless this one visited every owner from the first and found fewer than `limit` rows.
    this.crowded = full.length > 0 || rows.length === limit || last !== FIRST_OWNER;
    return rows;
  }
}

/**
 * Text of a statement that renews the leases of claims (`$1`) for `$2` ms. Rows locked by the storing of a step are skipped: they need no
 * lease any more.
 */
export function renewing(table: string, key: string): string {
  return `with owned as (
     select rows.${key} from ${table} rows join json_to_recordset($1::json) as input(id uuid, generation integer)
       on input.id = rows.${key} and input.generation = rows.turn
     where ${byKey('input.id')}
     order by rows.${key} for update of rows skip locked
   )
   update ${table} set due_at = clock_timestamp() + $2 * interval '1 millisecond' from owned where ${table}.${key} = owned.${key}`;
}

/** Claims due rows of a table; owners are served round-robin where more are due than fit. */
export class DueQueue<Row extends { workspace_id: string; lane: number }> {
  private readonly cursor = new RoundRobinCursor();

  constructor(
    protected readonly database: Database,
    private readonly statements: DueStatements,
    protected readonly leaseMs: number,
  ) {}

  /**
   * Claims up to `limit` due rows; each has a lease of `leaseMs`.
   * @param skipped rows to be skipped, where the queue has a condition on them.
   * @param full owners at their limit, as `ownerName`; their rows are skipped.
   */
  claim(limit: number, skipped?: readonly string[], full: readonly string[] = []): Promise<Row[]> {
    const { oldest, roundRobin } = this.statements;
    return this.cursor.claim<Row>(limit, full, (owners) =>
      this.database.query<Row>(owners ? roundRobin : oldest, [limit, this.leaseMs, ...(owners ?? []), ...(skipped ? [skipped] : [])]),
    );
  }

  /** Milliseconds until the next row not in `skipped` is due (0 or less: now); undefined where there is none. */
  async nextDueMs(skipped?: readonly string[]): Promise<number | undefined> {
    const [row] = await this.database.query<{ wait_ms: number | null }>(this.statements.nextDue, skipped && [skipped]);
    return row?.wait_ms ?? undefined;
  }
}

/** A queue whose claims have generations. */
export class ClaimQueue<Row extends { workspace_id: string; lane: number }> extends DueQueue<Row> {
  /** @param renewal a statement of `renewing`. */
  constructor(
    database: Database,
    statements: DueStatements,
    private readonly renewal: Statement,
    leaseMs = WORK_LEASE_MS,
  ) {
    super(database, statements, leaseMs);
  }

  /** Renews the leases of slow work. */
  async renew(claims: readonly Claim[]): Promise<void> {
    await this.database.execute(this.renewal, [JSON.stringify(claims), this.leaseMs]);
  }
}

/** Claims the due rows of a queue and works on up to `max` of them at once. */
export class ClaimWorker<Row extends { workspace_id: string; lane: number }> {
  private readonly poller = new DuePoller(this.times, this.what, () => this.claimDue());
  private readonly running = new Set<Promise<void>>();

  /**
   * @param work on one row; must not reject.
   * @param what the work, for the warning about a failed poll.
   */
  constructor(
    private readonly queue: DueQueue<Row>,
    private readonly max: number,
    private readonly work: (row: Row) => Promise<void>,
    private readonly times: WorkTimes,
    private readonly what: string,
  ) {}

  scheduleIn(delayMs: number): void {
    this.poller.scheduleIn(delayMs);
  }

  /** Claims no more rows; resolves when the work under way has ended. */
  async stop(): Promise<void> {
    await this.poller.stop();
    await Promise.all(this.running);
  }

  /** `stop` waits for `work`. */
  track(work: Promise<void>): void {
    const done = work.finally(() => {
      this.running.delete(done);
    });
    this.running.add(done);
  }

  private async claimDue() {
    for (;;) {
      if (this.running.size >= this.max) await Promise.race(this.running);
      if (this.poller.isStopped) return undefined;
      const limit = this.max - this.running.size;
      const rows = await this.queue.claim(limit);
      for (const row of rows) this.track(this.work(row));
      if (rows.length < limit) return this.queue.nextDueMs();
    }
  }
}
