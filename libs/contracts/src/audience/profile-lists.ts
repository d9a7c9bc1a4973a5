import { IsListOf } from '../core/fields';
import { declaredFields, FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { OptionalPreferences, PREFERENCE_FIELDS, type RecipientPreferences, templatesIn } from '../core/preferences';
import { NamedUser, ProfileWritten, UserId } from '../identity/profiles';
import { OptionalListId } from './list-ids';
import { List } from './lists';

export const PROFILE_LISTS_PAGE_SIZE = 100;

export class ListProfileLists extends CursorQuery {
  @UserId user_id: string;
}

/**
 * Lists that the user is subscribed to, each with the preferences of the subscription, or else of the list.
 * @property results The lists of this page, at most 100, by id; each with the preferences of the subscription, or else of the list.
 */
class SubscribedListsPage extends pageOf(List) {}

@FieldsOfAnswer(() => List)
class ListToSubscribe {
  /** Id of the list, chosen by you; a missing list is created with its id as name. Required, unless `id` is given. @example "team.readers" */
  @OptionalListId listId?: string | null;

  /** The same, of a list as it was read; without effect beside `listId`. @example "team.readers" */
  @OptionalListId id?: string | null;

  /** The preferences of the user for sends to the list. Absent or `null`: those of an existing subscription stay. */
  @OptionalPreferences preferences?: RecipientPreferences | null;
}

export class SubscribeToLists extends NamedUser {
  /** The lists to subscribe to; the last entry of a list counts. */
  @IsListOf(ListToSubscribe, 1_000) lists: ListToSubscribe[];
}

export const profileLists = defineOperations('audience.profile-lists', 'lists', {
  /** Empty for a user without subscriptions, or an unknown one. Deleted lists are not included. */
  list: {
    route: 'GET /profiles/:user_id/lists',
    summary: 'List the lists a user is subscribed to, by id',
    request: ListProfileLists,
    response: SubscribedListsPage,
  },
  /** Subscriptions to other lists stay. @example { "lists": [{ "listId": "team.readers" }] } */
  subscribe: {
    audit: 'user:lists-changed',
    command: true,
    route: 'POST /profiles/:user_id/lists',
    quota: 'lists',
    summary: 'Subscribe a user to lists, to all of them or to none; missing lists are created',
    request: SubscribeToLists,
    templateNames: ({ lists }: SubscribeToLists) => lists.flatMap(({ preferences }) => templatesIn(preferences)),
    knownFields: declaredFields(SubscribeToLists, { lists: declaredFields(ListToSubscribe, { preferences: PREFERENCE_FIELDS }) }),
    response: ProfileWritten,
  },
  /** Ends the subscriptions to deleted lists too. Also succeeds for a user without any. */
  removeAll: {
    audit: 'user:lists-changed',
    command: true,
    route: 'DELETE /profiles/:user_id/lists',
    summary: 'End all subscriptions of a user',
    request: NamedUser,
    response: ProfileWritten,
  },
});
