import type { Database } from '@tidings/persistence/database';
import { type MemberRow, OF_FEW_LISTS, OF_MANY_LISTS, OF_MANY_LISTS_WITHIN, type ScannedRow } from './member.rows';

/** Up to so many lists are read by one index range each; above it, the workspace's subscriptions are scanned in order. */
export const FEW_LISTS_MAX = 30;
/** Subscriptions that one page scans, however few of them match the pattern. */
export const SCANNED_ROWS_MAX = 20_000;

/** Behind a user, or with a list and its set behind one of the user's subscriptions: a later one may still match. */
export type MemberCursor = readonly [userId: string, listId: string | null, setId: string | null];

export interface FoundMembers {
  rows: MemberRow[];
  /** Where the next scan starts once all rows are used; absent at the end. */
  next?: MemberCursor;
}

interface MembersQuery {
  workspaceId: string;
  pattern: string;
  after: MemberCursor;
  /** Rows at most. */
  limit: number;
}

/** Members after `after`, at most `limit`, from one index range per list. For up to `FEW_LISTS_MAX` lists. */
export async function membersOfFewLists(
  db: Database,
  { workspaceId, pattern, after: [userId, listId], limit }: MembersQuery,
): Promise<FoundMembers> {
  return { rows: await db.query<MemberRow>(OF_FEW_LISTS, [workspaceId, pattern, userId, limit, listId !== null]) };
}

/** Its cost depends on the scanned rows, not on the number of lists: a subscription's list is looked up when it is scanned. */
export async function membersOfManyLists(db: Database, { workspaceId, pattern, after, limit }: MembersQuery): Promise<FoundMembers> {
  const [userId, ...within] = after;
  const values = [workspaceId, pattern, userId, limit, SCANNED_ROWS_MAX];
  const isWithin = within[0] !== null;
  const rows = await db.query<ScannedRow>(isWithin ? OF_MANY_LISTS_WITHIN : OF_MANY_LISTS, isWithin ? [...values, ...within] : values);
  const members = rows.filter(({ user_id }) => user_id !== null);
  const [last] = rows;
  if (last === undefined || last.scanned < SCANNED_ROWS_MAX) return { rows: members };
  const isLastMember = members.at(-1)?.user_id === last.last_user_id;
  return { rows: members, next: isLastMember ? behind(last.last_user_id) : [last.last_user_id, last.last_list_id, last.last_set_id] };
}

/** Behind all subscriptions of a user. */
export const behind = (userId: string): MemberCursor => [userId, null, null];
