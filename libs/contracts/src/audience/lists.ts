import { IsListOf, IsoDate, Text, TextOf } from '../core/fields';
import { declaredFields, FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { OptionalPreferences, PREFERENCE_FIELDS, type RecipientPreferences, templatesIn } from '../core/preferences';
import { ListId, OptionalListId } from './list-ids';

export const LISTS_PAGE_SIZE = 100;
/** How long a deleted list can be restored. */
export const LIST_RESTORABLE_DAYS = 30;

export class NamedList {
  @ListId list_id: string;
}

export class ListLists extends CursorQuery {
  /**
   * Only the lists whose ids match: an id in which a part may be `*` (any one part) and the last part `**` (one or more parts).
   * @example "team.*"
   */
  @OptionalListId pattern?: string;
}

/** Absent or `null` fields are removed. */
@FieldsOfAnswer(() => List)
export class PutList extends NamedList {
  /** Display name. @example "Readers" */
  @TextOf(1, 512) name: string;

  /** For subscribers without preferences of their own; at most 256 KB as JSON. Absent or `null`: none. */
  @OptionalPreferences preferences?: RecipientPreferences | null;
}

export class List {
  /** Id of the list, chosen by you. @example "team.readers" */
  @Text id: string;

  /** Display name; of a list that a subscription created, its id. @example "Readers" */
  @Text name: string;

  /** When it was created: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate created: string;

  /** When name or preferences were replaced, or the list was restored: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate updated: string;

  /**
   * For subscribers without preferences of their own; absent if there are none. Among the lists of a user: those of the subscription, if it
   * has any.
   */
  @OptionalPreferences preferences?: RecipientPreferences;
}

/**
 * The same lists as `items` and `results`: clients read one or the other.
 * @property items The lists of this page, at most 100, by id.
 */
class ListsPage extends pageOf(List, 'items') {
  /** The same lists: clients read `items` or `results`. */
  @IsListOf(List) results: List[];
}

export const lists = defineOperations('audience.lists', 'lists', {
  /** All lists of the workspace, or those whose ids match a pattern. Deleted lists are not included. */
  list: {
    route: 'GET /lists',
    summary: 'List the lists, by id: all of them, or those that match a pattern',
    request: ListLists,
    response: ListsPage,
  },
  /** Answers 404 for a list that does not exist, or was deleted. */
  retrieve: {
    route: 'GET /lists/:list_id',
    summary: 'Get a list',
    request: NamedList,
    response: List,
  },
  /** Preferences that are left out are removed. A deleted list of the id can then no longer be restored. @example { "name": "Readers" } */
  replace: {
    audit: 'list:replaced',
    command: true,
    route: 'PUT /lists/:list_id',
    quota: 'lists',
    summary: 'Replace name and preferences of a list, or create it; subscribers stay',
    request: PutList,
    templateNames: ({ preferences }: PutList) => templatesIn(preferences),
    knownFields: declaredFields(PutList, { preferences: PREFERENCE_FIELDS }),
  },
  /** Subscriptions are deleted with the list, and restored with it. */
  remove: {
    audit: 'list:deleted',
    command: true,
    route: 'DELETE /lists/:list_id',
    summary: `Delete a list; for ${LIST_RESTORABLE_DAYS} days it can be restored`,
    request: NamedList,
  },
  /**
   * A list that is not deleted stays as it is, with the subscribers it has, and the answer is 204 as well. A deleted list whose id was used
   * again cannot be restored. Answers 404 if there is neither a list nor a deleted one of the id, or after 30 days.
   */
  restore: {
    audit: 'list:restored',
    command: true,
    route: 'PUT /lists/:list_id/restore',
    quota: 'lists',
    summary: 'Restore a deleted list with its subscribers',
    request: NamedList,
  },
});
