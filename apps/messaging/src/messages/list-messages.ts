import { ServiceError } from '@tidings/contracts/core/errors';
import type { ListMessages, MessagePage } from '@tidings/contracts/messaging/messages';
import { messageIdToUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { Database, Queryable } from '@tidings/persistence/database';
import { decodeCursor, encodeCursor, type Page, toPage, toResultsPage } from '@tidings/persistence/page';
import { type MessageRow, toMessage } from '../store/message-row';
import { FIRST_ID, firstIdAt, firstIdOfWeek, LAST_ID, weekOf } from '../store/weeks';
import { type MessageFilter, parseMessageFilter } from './listing/message-filter';
import { prepareWalks, type IndexScan, scanIndex } from './listing/index-scan';
import { type AccessPath, waysOf } from './listing/access-path';

/** Messages of one page. */
export const MESSAGES_PAGE_SIZE = 10;
const MESSAGES_CURSOR = 'messages';
/** One more than the page, so that `more` is exact. */
const ENOUGH = MESSAGES_PAGE_SIZE + 1;

/** Messages that each way is tried for, before the best one is taken. */
const TRIAL_LOOKS = 250;
/** Messages that are looked at for a page. One that has not found enough by then ends early. */
export const PAGE_LOOKS_MAX = 2_000;

/** The weeks that are looked through first: what is listed is mostly new, and each partition costs, whether it has something or not. */
const WEEKS_FIRST = [1, 12];

/** Where a page begins and what is asked of it. */
interface Search {
  workspaceId: string;
  asked: MessageFilter;
  /** All its messages are below this id. */
  below: string;
  /** None of its messages is below this id. */
  from: string;
  nowMs: number;
}

/**
 * A page of messages, newest first. What it costs has a bound that hangs neither on how many messages there are nor on how rare what was
 * asked is: a page for which too many would have to be looked at ends early, perhaps empty, with `more`; the next goes on from there.
 * @throws ServiceError `invalid_request` naming the field that cannot be read
 */
export async function listMessages(
  database: Database,
  { workspaceId, request, nowMs }: { workspaceId: string; request: ListMessages; nowMs: number },
): Promise<MessagePage> {
  const asked = parseMessageFilter(request);
  const search: Search = {
    workspaceId,
    asked,
    below: request.cursor === undefined ? LAST_ID : decodeListCursor(request.cursor),
    from: asked.enqueuedAfter === null ? FIRST_ID : firstIdAt(asked.enqueuedAfter),
    nowMs,
  };
  if (asked.nothing) return toResultsPage(pageOf({ found: [] }));
  const walked = await database.transaction(async (tx) => {
    await prepareWalks(tx);
    return find(tx, search);
  });
  return toResultsPage(pageOf(walked));
}

/** The first way that comes to an end within its trial; else the one that got furthest, with all the looks of a page. */
async function find(tx: Queryable, search: Search): Promise<IndexScan> {
  const ways = waysOf(search.asked);
  if (ways.length === 1) return go(tx, search, ways[0]!, PAGE_LOOKS_MAX);
  let best: { way: AccessPath; reached: string } | undefined;
  for (const way of ways) {
    const trial = await go(tx, search, way, TRIAL_LOOKS);
    if (trial.reached === undefined) return trial;
    if (best === undefined || trial.reached < best.reached) best = { way, reached: trial.reached };
  }
  return go(tx, search, best!.way, PAGE_LOOKS_MAX);
}

/** Goes one way through all weeks, the last ones first, as far as it must. What it found is enough where nothing says how far it came. */
async function go(tx: Queryable, { workspaceId, asked, below, from, nowMs }: Search, way: AccessPath, looks: number): Promise<IndexScan> {
  const found: MessageRow[] = [];
  const newest = below === LAST_ID ? weekOf(nowMs) : weekOfId(below);
  const floors = [...WEEKS_FIRST.map((weeks) => firstIdOfWeek(Math.max(0, newest - weeks))), FIRST_ID];
  let top = below;
  for (const floor of floors) {
    const bottom = floor > from ? floor : from;
    if (bottom >= top) continue;
    const stretch = { from: bottom, below: top };
    const part = await scanIndex(tx, { workspaceId, asked, way, stretch, enough: ENOUGH, looks });
    found.push(...part.found);
    if (found.length >= ENOUGH) break;
    if (part.reached !== undefined) return { found, reached: part.reached };
    top = bottom;
  }
  return { found };
}

function pageOf({ found, reached }: IndexScan): Page<ReturnType<typeof toMessage>> {
  const cursorOf = ({ id }: Pick<MessageRow, 'id'>): string[] => [uuidToMessageId(id)];
  const page = toPage(found, { tag: MESSAGES_CURSOR, limit: MESSAGES_PAGE_SIZE, cursorOf, toItem: toMessage });
  if (page.more || reached === undefined) return page;
  return { ...page, more: true, cursor: encodeCursor(MESSAGES_CURSOR, cursorOf({ id: reached })) };
}

function decodeListCursor(cursor: string): string {
  const [id] = decodeCursor(MESSAGES_CURSOR, cursor, ['text']);
  const uuid = messageIdToUuid(id as string);
  if (!uuid) throw new ServiceError('invalid_request', `cursor "${cursor.slice(0, 100)}" is not valid`);
  return uuid;
}

const weekOfId = (uuid: string): number => weekOf(Number.parseInt(uuid.slice(0, 8), 16) * 1000);
