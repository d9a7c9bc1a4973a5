import { type Queryable, statement } from '@tidings/persistence/database';
import type { MessageRow } from '../../store/message-row';
import type { MessageFilter } from './message-filter';
import { type IdRange, valuesOf, type AccessPath } from './access-path';

/** Result of a scan. */
export interface IndexScan {
  /** Matching messages, newest first, each once. */
  readonly found: readonly MessageRow[];
  /** The scan ended early at this id (uuid): matches below it are unknown. */
  readonly reached?: string;
}

interface ScannedRow extends MessageRow {
  listed: boolean | null;
  /** Rows read so far in its part of an index, including this one. */
  rows_read: string;
}

/** Reads per part of an index at least. */
const PART_READS_MIN = 50;

/**
 * For the transaction of a scan. Each statement has one good plan, along its indexes. It is made once per connection: planning over a
 * year's partitions takes far longer than reading a page. The settings keep PostgreSQL from preferring other plans because of its estimates
 * of the values; sequential scans are off on all connections.
 */
export const SCAN_SETTINGS = statement(
  'messaging.list_settings',
  `select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_sort', 'off', true),
          set_config('enable_incremental_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
);

/** Scans a range along one access path until `enough` matches are found, or `reads` messages were read. */
export async function scanIndex(
  tx: Queryable,
  { workspaceId, filter }: { workspaceId: string; filter: MessageFilter },
  path: AccessPath,
  range: IdRange,
  enough: number,
  reads: number,
): Promise<IndexScan> {
  const parts = path.parts(filter) * (filter.archived ? 2 : 1);
  const each = Math.max(PART_READS_MIN, Math.floor(reads / parts));
  const rows = await tx.query<ScannedRow>(path.statement, valuesOf(workspaceId, filter, range, each, enough));

  const ends = rows.filter(({ rows_read }) => Number(rows_read) === each).map(({ id }) => id);
  // The newest end of a part: below it that part is incomplete, so matches of the other parts do not count either.
  const reached = ends.length > 0 ? ends.reduce((newest, id) => (id > newest ? id : newest)) : undefined;
  const complete = rows.filter(({ listed, id }) => listed && (reached === undefined || id >= reached));
  const found = [...new Map(complete.map((row) => [row.id, row])).values()].sort((one, other) => (one.id < other.id ? 1 : -1));
  return reached === undefined ? { found } : { found, reached };
}
