import type { Database } from '@tidings/persistence/database';
import { type MemberRow, OF_FEW_LISTS, OF_MANY_LISTS, OF_MANY_LISTS_WITHIN, type ScannedRow } from './member.rows';

/** So many lists are read side by side; of more, all subscriptions of the workspace are looked at one after the other. */
export const FEW_LISTS_MAX = 30;
/** At so many subscriptions one page looks, also where few of them are of the pattern. */
export const SCANNED_ROWS_MAX = 20_000;

/** Behind a user, or behind one of a user's subscriptions: then the user may still be met. */
export interface MemberPlace {
  userId: string;
  within?: { listId: string; setId: string };
}

export interface FoundMembers {
  rows: MemberRow[];
  /** Where the next look begins when all rows were taken; absent at the end. */
  next?: MemberPlace;
}

interface Wanted {
  workspaceId: string;
  pattern: string;
  after: MemberPlace;
  /** Most rows. */
  limit: number;
}

export async function membersOfFewLists(db: Database, { workspaceId, pattern, after, limit }: Wanted): Promise<FoundMembers> {
  return { rows: await db.query<MemberRow>(OF_FEW_LISTS, [workspaceId, pattern, after.userId, limit, after.within !== undefined]) };
}

/** Takes as long as its rows, however many lists there are: whether a subscription counts is looked up where it is met. */
export async function membersOfManyLists(db: Database, { workspaceId, pattern, after, limit }: Wanted): Promise<FoundMembers> {
  const values = [workspaceId, pattern, after.userId, limit, SCANNED_ROWS_MAX];
  const rows = after.within
    ? await db.query<ScannedRow>(OF_MANY_LISTS_WITHIN, [...values, after.within.listId, after.within.setId])
    : await db.query<ScannedRow>(OF_MANY_LISTS, values);
  const members = rows.filter(({ user_id }) => user_id !== null);
  const [last] = rows;
  if (last === undefined || last.scanned < SCANNED_ROWS_MAX) return { rows: members };
  const met = members.at(-1)?.user_id === last.last_user_id;
  return {
    rows: members,
    next: { userId: last.last_user_id, ...(!met && { within: { listId: last.last_list_id, setId: last.last_set_id } }) },
  };
}
