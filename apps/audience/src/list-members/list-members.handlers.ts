import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { assertListPattern } from '@tidings/contracts/audience/list-ids';
import {
  listMembers,
  type ListMember,
  type ListMembersPage,
  type LoadListMembers,
  type LoadPatternMembers,
  MEMBERS_PAGE_MAX,
  type MembersList,
} from '@tidings/contracts/audience/list-members';
import type { CallContext } from '@tidings/contracts/core/context';
import { Database } from '@tidings/persistence/database';
import { decodeCursor, encodeCursor, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { ListEntity } from '../lists/list.entity';
import {
  LISTS_OF_PATTERN,
  type MemberRow,
  OF_FEW_LISTS,
  OF_LIST,
  OF_MANY_LISTS,
  OF_MANY_LISTS_WITHIN,
  PREFERENCES_OF_LISTS,
  type ScannedRow,
} from './member.rows';

/** Up to so many lists are read by one index range each; above it, the workspace's subscriptions are scanned in order. */
export const FEW_LISTS_MAX = 30;
/** Subscriptions that one page scans, however few of them match the pattern. */
export const SCANNED_ROWS_MAX = 20_000;

/** Behind a user, or with a list and its set behind one of the user's subscriptions: a later one may still match. */
type MemberCursor = readonly [userId: string, listId: string | null, setId: string | null];

interface FoundMembers {
  rows: MemberRow[];
  /** Where the next scan starts once all rows are used; absent at the end. */
  next?: MemberCursor;
}

/** Behind all subscriptions of a user. */
const behind = (userId: string): MemberCursor => [userId, null, null];

const NOT_FOUND: ListMembersPage = { found: false, members: [], lists: [], more: false };
/** Every id sorts after the empty string. */
const START = behind('');

@Handles(listMembers)
export class ListMembersHandlers {
  constructor(
    @InjectRepository(ListEntity) private readonly lists: Repository<ListEntity>,
    private readonly database: Database,
  ) {}

  async ofList({ workspaceId }: CallContext, request: LoadListMembers) {
    const { list_id, cursor, limit = MEMBERS_PAGE_MAX } = request;
    const tag = `members-of-list ${workspaceId} ${list_id}`;
    const [userId] = readCursor(tag, cursor);
    const rows = await this.database.query<MemberRow>(OF_LIST, [workspaceId, list_id, userId, limit + 1]);
    if (rows.length === 0 && !(await this.lists.existsBy({ workspaceId, id: list_id }))) return NOT_FOUND;
    return this.toMembersPage(workspaceId, tag, limit, { rows });
  }

  async ofPattern({ workspaceId }: CallContext, request: LoadPatternMembers) {
    const { pattern, cursor, limit = MEMBERS_PAGE_MAX } = request;
    assertListPattern(pattern, 'pattern');
    const tag = `members-of-pattern ${workspaceId} ${pattern}`;
    const [userId, ...within] = readCursor(tag, cursor);
    const lists = await this.database.query(LISTS_OF_PATTERN, [workspaceId, pattern, FEW_LISTS_MAX + 1]);
    if (lists.length === 0) return NOT_FOUND;
    const isWithin = within[0] !== null;
    const values = [workspaceId, pattern, userId, limit + 1];
    if (lists.length <= FEW_LISTS_MAX) {
      const rows = await this.database.query<MemberRow>(OF_FEW_LISTS, [...values, isWithin]);
      return this.toMembersPage(workspaceId, tag, limit, { rows });
    }
    // The cost depends on the scanned rows, not on the number of lists: a subscription's list is looked up when it is scanned.
    const scan = isWithin ? OF_MANY_LISTS_WITHIN : OF_MANY_LISTS;
    const scanned = await this.database.query<ScannedRow>(scan, [...values, SCANNED_ROWS_MAX, ...(isWithin ? within : [])]);
    return this.toMembersPage(workspaceId, tag, limit, membersOf(scanned));
  }

  /** Members beyond the reply's size go to the next page; a list's preferences count towards the first member that names it. */
  private async toMembersPage(workspaceId: string, tag: string, limit: number, { rows, next }: FoundMembers) {
    const listIds = [...new Set(rows.map(({ list_id }) => list_id))];
    const lists = await this.database.query<MembersList>(PREFERENCES_OF_LISTS, [workspaceId, listIds]);
    const unsent = new Map(lists.map((list) => [list.list_id, list]));
    const { paging, items } = toPage(rows, {
      tag,
      limit,
      cursorOf: ({ user_id }) => behind(user_id),
      toItem: (row) => {
        const list = unsent.get(row.list_id);
        unsent.delete(row.list_id);
        return { member: toMember(row), list };
      },
    });
    const cursor = paging.cursor ?? (next && encodeCursor(tag, next));
    return {
      found: true,
      members: items.map(({ member }) => member),
      lists: items.flatMap(({ list }) => list ?? []),
      more: cursor !== undefined,
      cursor,
    };
  }
}

function membersOf(scanned: readonly ScannedRow[]): FoundMembers {
  const rows = scanned.filter(({ user_id }) => user_id !== null);
  const [last] = scanned;
  if (last === undefined || last.scanned < SCANNED_ROWS_MAX) return { rows };
  const isLastMember = rows.at(-1)?.user_id === last.last_user_id;
  return { rows, next: isLastMember ? behind(last.last_user_id) : [last.last_user_id, last.last_list_id, last.last_set_id] };
}

function toMember({ user_id, list_id, preferences }: MemberRow): ListMember {
  return { user_id, list_id, preferences: preferences ?? undefined };
}

const readCursor = (tag: string, cursor: string | undefined) =>
  cursor === undefined ? START : (decodeCursor(tag, cursor, ['text', 'text?', 'bigint?']) as unknown as MemberCursor);
