/** Owners that one look comes by: pairs of workspace and lane. */
const WALK_MAX = 5_000;

/** The first owner there can be. */
const FIRST_OWNER: Owner = { workspaceId: '00000000-0000-0000-0000-000000000000', lane: -1 };

/** Whose rows take turns. */
interface Owner {
  workspaceId: string;
  lane: number;
}

/** An owner as statements and places name it. */
export function ownerName({ workspaceId, lane }: Owner): string {
  return `${workspaceId}:${lane}`;
}

/**
 * SQL of a `due` CTE over a table with `workspace_id`, `lane`, `due_at`: rows that are due, locked, skipping what others hold.
 * The time is asked once, in a subquery of its own, so that an index on `due_at` begins and ends where it must: what is due
 * tomorrow, however much it is, is not looked at.
 *
 * - `oldest`: whatever is due longest, up to `$limit`. Right as long as that is everything.
 * - `in turn`: up to `$share` rows of each owner behind the owner (`$after_workspace`, `$after_lane`), without those in `$full`:
 *   however many rows of one owner are due, the next ones get theirs. Owners are looked at one by one, in the order of the walk,
 *   until there are enough rows; an `order by` would make PostgreSQL look at all of them, and lock their rows, first.
 *
 * @param columns what of the table is needed, without `workspace_id` and `lane`.
 * @param extra a further condition on `rows`.
 */
export function dueRoundRobin(table: string, columns: string, extra: string): { oldest: string; inTurn: string } {
  const taken = `rows.workspace_id, rows.lane, ${columns}`;
  return {
    oldest: `due as (
      select ${taken} from ${table} rows
      where due_at <= (select clock_timestamp()) and ${extra}
      order by due_at limit $1 for update skip locked
    )`,
    inTurn: `recursive walk as (
      select first.workspace_id, first.lane, 1 as step from (
        select workspace_id, lane from ${table} where (workspace_id, lane) > ($4::uuid, $5::smallint) order by workspace_id, lane limit 1
      ) first
      union all
      select next.workspace_id, next.lane, walk.step + 1 from walk cross join lateral (
        select workspace_id, lane from ${table} where (workspace_id, lane) > (walk.workspace_id, walk.lane) order by workspace_id, lane limit 1
      ) next
      where walk.step < ${WALK_MAX}
    ), due as (
      select turn.* from walk cross join lateral (
        select ${taken} from ${table} rows
        where rows.workspace_id = walk.workspace_id and rows.lane = walk.lane and due_at <= (select clock_timestamp()) and ${extra}
        order by due_at limit $6 for update skip locked
      ) turn
      where walk.workspace_id || ':' || walk.lane <> all($7::text[])
      limit $1
    )`,
  };
}

/** Rows of one owner in one look, where owners take turns. */
const SHARE_MIN = 4;

/** Remembers whether more is due than fits, and whose turn is next. */
export class RoundRobinCursor {
  private crowded = false;
  private last = FIRST_OWNER;

  /**
   * Takes rows with `query`: the oldest (no values), or in turn (values for `$4` to `$7`). In turn as long as a whole round does
   * not find less than fits.
   */
  async take<Row extends { workspace_id: string; lane: number }>(
    limit: number,
    full: readonly string[],
    query: (inTurn?: unknown[]) => Promise<Row[]>,
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
    // The round is over: it began in the middle, or found room for more.
    this.crowded = full.length > 0 || rows.length === limit || last !== FIRST_OWNER;
    return rows;
  }
}
