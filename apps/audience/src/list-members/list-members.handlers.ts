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
import { LISTS_OF_PATTERN, type MemberRow, OF_LIST, PREFERENCES_OF_LISTS } from './member.rows';
import { behind, FEW_LISTS_MAX, type FoundMembers, type MemberCursor, membersOfFewLists, membersOfManyLists } from './pattern-members';

const NOT_FOUND: ListMembersPage = { found: false, members: [], lists: [], more: false };
/** Every id sorts after the empty string. */
const START = behind('');

interface PageOptions {
  workspaceId: string;
  tag: string;
  limit: number;
}

@Handles(listMembers)
export class ListMembersHandlers {
  constructor(
    @InjectRepository(ListEntity) private readonly lists: Repository<ListEntity>,
    private readonly db: Database,
  ) {}

  async ofList({ workspaceId }: CallContext, request: LoadListMembers) {
    const { list_id, cursor, limit = MEMBERS_PAGE_MAX } = request;
    const tag = `members-of-list ${workspaceId} ${list_id}`;
    const [userId] = readCursor(tag, cursor);
    const rows = await this.db.query<MemberRow>(OF_LIST, [workspaceId, list_id, userId, limit + 1]);
    if (rows.length === 0 && !(await this.lists.existsBy({ workspaceId, id: list_id }))) return NOT_FOUND;
    return this.toMembersPage({ workspaceId, tag, limit }, { rows });
  }

  async ofPattern({ workspaceId }: CallContext, request: LoadPatternMembers) {
    const { pattern, cursor, limit = MEMBERS_PAGE_MAX } = request;
    assertListPattern(pattern, 'pattern');
    const tag = `members-of-pattern ${workspaceId} ${pattern}`;
    const after = readCursor(tag, cursor);
    const lists = await this.db.query(LISTS_OF_PATTERN, [workspaceId, pattern, FEW_LISTS_MAX + 1]);
    if (lists.length === 0) return NOT_FOUND;
    const find = lists.length > FEW_LISTS_MAX ? membersOfManyLists : membersOfFewLists;
    return this.toMembersPage({ workspaceId, tag, limit }, await find(this.db, { workspaceId, pattern, after, limit: limit + 1 }));
  }

  /** Members beyond the reply's size go to the next page; a list's preferences count towards the first member that names it. */
  private async toMembersPage({ workspaceId, tag, limit }: PageOptions, { rows, next }: FoundMembers): Promise<ListMembersPage> {
    const listIds = [...new Set(rows.map(({ list_id }) => list_id))];
    const unsent = new Map(
      (await this.db.query<MembersList>(PREFERENCES_OF_LISTS, [workspaceId, listIds])).map((list) => [list.list_id, list]),
    );
    const { paging, items } = toPage(rows, {
      tag,
      limit,
      cursorOf: ({ user_id }) => behind(user_id),
      toItem: (row) => {
        const list = unsent.get(row.list_id);
        unsent.delete(row.list_id);
        return { member: toMember(row), ...(list && { list }) };
      },
    });
    const cursor = paging.cursor ?? (next && encodeCursor(tag, next));
    return {
      found: true,
      members: items.map(({ member }) => member),
      lists: items.flatMap(({ list }) => list ?? []),
      more: cursor !== undefined,
      ...(cursor !== undefined && { cursor }),
    };
  }
}

function toMember({ user_id, list_id, preferences }: MemberRow): ListMember {
  return { user_id, list_id, ...(preferences !== null && { preferences }) };
}

const readCursor = (tag: string, cursor: string | undefined): MemberCursor =>
  cursor === undefined ? START : (decodeCursor(tag, cursor, ['text', 'text?', 'bigint?']) as unknown as MemberCursor);
