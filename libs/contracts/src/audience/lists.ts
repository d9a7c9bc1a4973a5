import { IsListOf, IsoDate, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { OptionalPreferences, type RecipientPreferences } from '../core/preferences';
import { ListId, OptionalListId } from './list-ids';

export const LISTS_PAGE_SIZE = 100;
/** How long a deleted list can be restored. */
export const LIST_RESTORABLE_DAYS = 30;

export class NamedList {
  /** One to four parts separated by dots (`assertListId`). */
  @ListId list_id: string;
}

export class ListLists extends CursorQuery {
  /** Only the lists whose ids match it (`assertListPattern`). */
  @OptionalListId pattern?: string;
}

/** Absent or `null` fields are removed. */
export class PutList extends NamedList {
  @TextOf(1, 512) name: string;

  /** The preferences of subscribers without preferences of their own. */
  @OptionalPreferences preferences?: RecipientPreferences | null;
}

export class List {
  @Text id: string;

  @Text name: string;

  @IsoDate created: string;

  /** When name or preferences were replaced, or the list was restored. */
  @IsoDate updated: string;

  @OptionalPreferences preferences?: RecipientPreferences;
}

/** The same lists as `items` and `results`: clients read one or the other. */
class ListsPage extends pageOf(List, 'items') {
  @IsListOf(List) results: List[];
}

export const lists = defineOperations('audience.lists', 'lists', {
  list: {
    route: 'GET /lists',
    summary: 'List the lists, by id: all of them, or those that match a pattern',
    request: ListLists,
    response: ListsPage,
  },
  retrieve: {
    route: 'GET /lists/:list_id',
    summary: 'Get a list',
    request: NamedList,
    response: List,
  },
  replace: {
    command: true,
    route: 'PUT /lists/:list_id',
    summary: 'Replace name and preferences of a list, or create it; subscribers stay',
    request: PutList,
  },
  remove: {
    command: true,
    route: 'DELETE /lists/:list_id',
    summary: `Delete a list; for ${LIST_RESTORABLE_DAYS} days it can be restored`,
    request: NamedList,
  },
  restore: {
    command: true,
    route: 'PUT /lists/:list_id/restore',
    summary: 'Restore a deleted list with its subscribers',
    request: NamedList,
  },
});
