import { assertListId, assertListPattern } from '@tidings/contracts/audience/list-ids';
import {
  type List,
  type ListLists,
  LISTS_PAGE_SIZE,
  lists,
  type ListsPage,
  type NamedList,
  type PutList,
} from '@tidings/contracts/audience/lists';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { storablePreferenceMaps } from '@tidings/contracts/core/preference-maps';
import { assertStorable } from '@tidings/contracts/core/text';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { decodeCursor, toItemsPage, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { deleteList, putList, restoreList } from './list-store';
import { type ListRow, PAGE, PAGE_OF_PATTERN, RETRIEVE, toList } from './list.rows';

@Handles(lists)
export class ListsHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async list({ workspaceId }: CallContext, { pattern, cursor, ...rest }: ListLists): Promise<ListsPage> {
    rest satisfies Record<string, never>;
    if (pattern !== undefined) assertListPattern(pattern, 'pattern');
    const tag = `lists ${workspaceId} ${pattern ?? ''}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const values = [workspaceId, after, LISTS_PAGE_SIZE + 1];
    const rows = await (pattern === undefined
      ? this.db.query<ListRow>(PAGE, values)
      : this.db.query<ListRow>(PAGE_OF_PATTERN, [...values, pattern]));
    const page = toPage(rows, {
      tag,
      limit: LISTS_PAGE_SIZE,
      cursorOf: ({ list_id }) => [list_id],
      toItem: (row) => [toList(row), toList(row)], // a page has each list twice
    });
    const { paging, items } = toItemsPage(page);
    const found = items.map(([list]) => list!);
    return { paging, items: found, results: found };
  }

  async retrieve({ workspaceId }: CallContext, { list_id, ...rest }: NamedList): Promise<List> {
    rest satisfies Record<string, never>;
    assertStorable(list_id, 'list_id');
    const [row] = await this.db.query<ListRow>(RETRIEVE, [workspaceId, list_id]);
    if (!row) throw noList(list_id);
    return toList(row);
  }

  async replace(context: CallContext, { list_id, name, preferences, ...rest }: PutList): Promise<void> {
    rest satisfies Record<string, never>;
    assertListId(list_id, 'list_id');
    assertStorable(name, 'name');
    const stored = preferences ? storablePreferenceMaps('preferences', preferences) : null;
    await this.calls.once(context, (tx) => putList(tx, context.workspaceId, { listId: list_id, name, preferences: stored }));
  }

  async remove(context: CallContext, { list_id, ...rest }: NamedList): Promise<void> {
    rest satisfies Record<string, never>;
    assertStorable(list_id, 'list_id');
    await this.calls.once(context, async (tx) => {
      if (!(await deleteList(tx, context.workspaceId, list_id))) throw noList(list_id);
    });
  }

  /** A list that is there needs no restoring, and that is no error. */
  async restore(context: CallContext, { list_id, ...rest }: NamedList): Promise<void> {
    rest satisfies Record<string, never>;
    assertStorable(list_id, 'list_id');
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      if (await restoreList(tx, workspaceId, list_id)) return;
      if ((await tx.query(RETRIEVE, [workspaceId, list_id])).length === 0) throw noList(list_id);
    });
  }
}

/** Also of one that was deleted. */
export function noList(listId: string): ServiceError {
  return new ServiceError('not_found', `List ${listId} does not exist`);
}
