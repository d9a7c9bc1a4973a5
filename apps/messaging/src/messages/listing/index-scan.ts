import { type Queryable, statement } from '@tidings/persistence/database';
import type { MessageRow } from '../../store/message-row';
import type { MessageFilter } from './message-filter';
import { type IdRange, valuesOf, type AccessPath } from './access-path';

/** What a walk found, and how far it came. */
export interface IndexScan {
  /** Messages that are listed, newest first, each once. */
  readonly found: readonly MessageRow[];
  /** The walk ended early, here (a uuid): what is listed below is not known. */
  readonly reached?: string;
}

interface WalkedRow extends MessageRow {
  listed: boolean | null;
  /** How many its part of an index had met by then, itself included. */
  walked: string;
}

/** Each part of an index is worth looking at so many messages. */
const PART_LOOKS_MIN = 50;

/**
 * For the transaction that walks. A plan is made once for each connection and way, as planning for a year's partitions takes far longer than
 * reading a page; and each of the statements has one good plan, along its indexes, which PostgreSQL must not be talked out of by what it
 * believes to know of the values. That tables are not read from end to end is so for all connections.
 */
const SETTINGS = statement(
  'messaging.list_settings',
  `select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_sort', 'off', true),
          set_config('enable_incremental_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
);

export async function prepareWalks(tx: Queryable): Promise<void> {
  await tx.query(SETTINGS);
}

/** Goes one way along a stretch until `enough` is found, or `looks` messages were looked at. */
export async function scanIndex(tx: Queryable, { workspaceId, asked, way, stretch, enough, looks }: WalkOptions): Promise<IndexScan> {
  const parts = way.parts(asked) * (asked.archived ? 2 : 1);
  const each = Math.max(PART_LOOKS_MIN, Math.floor(looks / parts));
  const rows = await tx.query<WalkedRow>(way.statement, valuesOf(workspaceId, asked, stretch, each, enough));

  const ends = rows.filter(({ walked }) => Number(walked) === each).map(({ id }) => id);
  // Where the first of the parts ended: below it the others may have found what this one did not.
  const reached = ends.length > 0 ? ends.reduce((newest, id) => (id > newest ? id : newest)) : undefined;
  const known = rows.filter(({ listed, id }) => listed && (reached === undefined || id >= reached));
  const found = [...new Map(known.map((row) => [row.id, row])).values()].sort((one, other) => (one.id < other.id ? 1 : -1));
  return reached === undefined ? { found } : { found, reached };
}

interface WalkOptions {
  readonly workspaceId: string;
  readonly asked: MessageFilter;
  readonly way: AccessPath;
  readonly stretch: IdRange;
  readonly enough: number;
  readonly looks: number;
}
