import type { CountedRow } from './work-metrics';

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

/** Least rows of one owner in one round-robin poll. */
const SHARE_MIN = 4;

/** Columns of a claimed row: those that name its owner, and what metrics count. */
export interface OwnedRow extends CountedRow {
  workspace_id: string;
  lane: number;
}

/** State of a round-robin: whether more rows are due than one poll returns, and the owner visited last. */
export class RoundRobinCursor {
  private crowded = false;
  private last = FIRST_OWNER;

  /**
   * Claims rows with `query`: the oldest (no values), or round-robin (values for `$3` to `$6`). Round-robin as long as a whole round finds
   * at least `limit` rows.
   */
  async claim<Row extends OwnedRow>(
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
