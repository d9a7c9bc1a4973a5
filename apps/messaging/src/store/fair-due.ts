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

/**
 * SQL of a `due` CTE over a table with `workspace_id`, `lane`, `due_at`: due rows, locked, skipping rows that other processes have locked.
 * A subquery evaluates the time once, so an index on `due_at` is read only up to it: rows due later cost nothing, however many.
 *
 * - `oldest`: the rows due longest, up to `$1`. Fair as long as these are all due rows.
 * - `inTurn`: up to `$6` rows of each owner after the owner (`$4`, `$5`), without the owners in `$7`: however many rows of one owner are
 *   due, the next owners get theirs. Owners are visited one by one, in their order, until there are enough rows; an `order by` would make
 *   PostgreSQL read all of them, and lock their rows, first.
 *
 * @param columns the needed columns, without `workspace_id` and `lane`.
 * @param extra a further condition on `rows`.
 */
export function dueRoundRobin(table: string, columns: string, extra: string): { oldest: string; inTurn: string } {
  const selected = `rows.workspace_id, rows.lane, ${columns}`;
  return {
    oldest: `due as (
      select ${selected} from ${table} rows
      where due_at <= (select clock_timestamp()) and ${extra}
      order by due_at limit $1 for update skip locked
    )`,
    inTurn: `recursive owners as (
      select first.workspace_id, first.lane, 1 as step from (
        select workspace_id, lane from ${table} where (workspace_id, lane) > ($4::uuid, $5::smallint) order by workspace_id, lane limit 1
      ) first
      union all
      select next.workspace_id, next.lane, owners.step + 1 from owners cross join lateral (
        select workspace_id, lane from ${table} where (workspace_id, lane) > (owners.workspace_id, owners.lane) order by workspace_id, lane limit 1
      ) next
      where owners.step < ${OWNERS_MAX}
    ), due as (
      select owned.* from owners cross join lateral (
        select ${selected} from ${table} rows
        where rows.workspace_id = owners.workspace_id and rows.lane = owners.lane and due_at <= (select clock_timestamp()) and ${extra}
        order by due_at limit $6 for update skip locked
      ) owned
      where owners.workspace_id || ':' || owners.lane <> all($7::text[])
      limit $1
    )`,
  };
}

/** Least rows of one owner in one round-robin poll. */
const SHARE_MIN = 4;

/** State of a round-robin: whether more rows are due than one poll returns, and the owner visited last. */
export class RoundRobinCursor {
  private crowded = false;
  private last = FIRST_OWNER;

  /**
   * Claims rows with `query`: the oldest (no values), or round-robin (values for `$4` to `$7`). Round-robin as long as a whole round finds
   * at least `limit` rows.
   */
  async take<Row extends { workspace_id: string; lane: number }>(
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
