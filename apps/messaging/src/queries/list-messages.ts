import { invalid } from '@tidings/contracts/core/refusals';
import { messageIdToUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { ListMessages, MessagePage } from '@tidings/contracts/messaging/messages';
import { type Database, type Queryable, statement } from '@tidings/persistence/database';
import { decodeCursor, encodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { type MessageRow, toListedMessage } from '../record/message-row';
import { routesInProgress } from '../record/routes-in-progress';
import { FIRST_ID, firstIdAt, firstIdOfWeek, LAST_ID, weekOf } from '../record/weeks';
import { type AccessPath, accessPathsOf, type IdRange, valuesOf } from './listing/access-path';
import { distinct, type MessageFilter, parseMessageFilter } from './listing/message-filter';
import { namedProviders } from './listing/named-providers';

/** Result of a scan. */
interface IndexScan {
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

// SQL because it changes settings of the planner for one transaction.
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
async function scanIndex(tx: Queryable, { workspaceId, filter, enough }: Search, path: AccessPath, range: IdRange, reads: number) {
  const parts = path.parts(filter) * (filter.archived ? 2 : 1);
  const each = Math.max(PART_READS_MIN, Math.floor(reads / parts));
  const rows = await tx.query<ScannedRow>(path.statement, valuesOf(workspaceId, filter, range, each, enough));

  const ends = rows.filter(({ rows_read }) => Number(rows_read) === each).map(({ id }) => id);
  // The newest end of a part: below it that part is incomplete, so matches of the other parts do not count either.
  const reached = ends.length > 0 ? ends.reduce((newest, id) => (id > newest ? id : newest)) : undefined;
  const complete = rows.filter(({ listed, id }) => listed && (reached === undefined || id >= reached));
  const found = [...new Map(complete.map((row) => [row.id, row])).values()].sort((one, other) => (one.id < other.id ? 1 : -1));
  return { found, reached };
}

/** Messages of one page, unless the caller chooses. */
export const MESSAGES_PAGE_SIZE = 10;
/** Without the filters: a page may continue with others. */
const cursorTag = (workspaceId: string) => `messages ${workspaceId}`;
/** Messages that each access path reads in its trial, before the best one is chosen. */
const TRIAL_READS = 250;
/** Messages that are read for a page. A page that has not found enough by then ends early. */
export const PAGE_READS_MAX = 2_000;

/** Weeks searched first: listed messages are mostly new, and each partition costs time even if it is empty. */
const WEEKS_FIRST = [1, 12];

/** The filter and the range of a page. */
interface Search {
  workspaceId: string;
  filter: MessageFilter;
  /** All its messages are below this id. */
  below: string;
  /** None of its messages is below this id. */
  from: string;
  nowMs: number;
  /** One more than the page has, so that `more` is exact. */
  enough: number;
}

/**
 * A page of messages, newest first. Its cost is bounded, however many messages there are and however few match: a page that would read too
 * many ends early, possibly empty, with `more`; the next page continues there.
 * @throws ServiceError `invalid_request` naming the invalid field
 */
export async function listMessages(
  database: Database,
  { workspaceId, request, nowMs }: { workspaceId: string; request: ListMessages; nowMs: number },
): Promise<MessagePage> {
  const providers = await namedProviders(database, workspaceId, distinct(request.provider));
  const filter = parseMessageFilter(request, providers);
  const limit = request.limit ?? MESSAGES_PAGE_SIZE;
  const search = {
    workspaceId,
    filter,
    enough: limit + 1,
    below: request.cursor === undefined ? LAST_ID : decodeListCursor(workspaceId, request.cursor),
    from: filter.enqueuedAfter === undefined ? FIRST_ID : firstIdAt(filter.enqueuedAfter),
    nowMs,
  };
  if (filter.nothing) return pageOf(workspaceId, limit, { found: [] });
  return database.transaction(async (tx) => {
    await tx.query(SCAN_SETTINGS);
    const { found, reached } = await find(tx, search);
    const routes = await routesInProgress(tx, workspaceId, found.map(({ id }) => id).slice(0, limit));
    return pageOf(workspaceId, limit, {
      found: found.map((row) => ({ ...row, in_progress: routes.filter(({ message_id }) => message_id === row.id) })),
      reached,
    });
  });
}

/** The first access path that completes within its trial; else the one that got furthest, with all reads of a page. */
async function find(tx: Queryable, search: Search) {
  const paths = accessPathsOf(search.filter);
  if (paths.length === 1) return scanWeeks(tx, search, paths[0]!, PAGE_READS_MAX);
  let best: { path: AccessPath; reached: string } | undefined;
  for (const path of paths) {
    const trial = await scanWeeks(tx, search, path, TRIAL_READS);
    if (trial.reached === undefined) return trial;
    if (best === undefined || trial.reached < best.reached) best = { path, reached: trial.reached };
  }
  return scanWeeks(tx, search, best!.path, PAGE_READS_MAX);
}

/** Scans along one access path, the last weeks first, until enough is found. Without `reached` the result fills a page or is complete. */
async function scanWeeks(tx: Queryable, search: Search, path: AccessPath, reads: number) {
  const { below, from, nowMs, enough } = search;
  const found: MessageRow[] = [];
  const newest = below === LAST_ID ? weekOf(nowMs) : weekOf(Number.parseInt(below.slice(0, 8), 16) * 1000); // ids begin with their second
  const floors = [...WEEKS_FIRST.map((weeks) => firstIdOfWeek(Math.max(0, newest - weeks))), FIRST_ID];
  let top = below;
  for (const floor of floors) {
    const bottom = floor > from ? floor : from;
    if (bottom >= top) continue;
    const part = await scanIndex(tx, search, path, { from: bottom, below: top }, reads);
    found.push(...part.found);
    if (found.length >= enough) break;
    if (part.reached !== undefined) return { found, reached: part.reached };
    top = bottom;
  }
  return { found };
}

function pageOf(workspaceId: string, limit: number, { found, reached }: IndexScan) {
  const tag = cursorTag(workspaceId);
  const cursorOf = ({ id }: Pick<MessageRow, 'id'>): string[] => [uuidToMessageId(id)];
  const page = toPage(found, { tag, limit, cursorOf, toItem: toListedMessage });
  if (!page.paging.more && reached !== undefined) page.paging = { more: true, cursor: encodeCursor(tag, cursorOf({ id: reached })) };
  return toResultsPage(page);
}

function decodeListCursor(workspaceId: string, cursor: string) {
  const [id] = decodeCursor(cursorTag(workspaceId), cursor, ['text']);
  const uuid = messageIdToUuid(id as string);
  if (!uuid) throw invalid(`cursor "${cursor.slice(0, 100)}" is not valid`);
  return uuid;
}
