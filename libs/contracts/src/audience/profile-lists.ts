import { IsListOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { OptionalPreferences, type RecipientPreferences } from '../core/preferences';
import { NamedUser, ProfileWritten, UserId } from '../identity/profiles';
import { ListId } from './list-ids';
import { List } from './lists';

export const PROFILE_LISTS_PAGE_SIZE = 100;

export class ListProfileLists extends CursorQuery {
  @UserId user_id: string;
}

/** Lists that the user is subscribed to, each with the preferences of the subscription, or else of the list. */
class SubscribedListsPage extends pageOf(List) {}

class ListToSubscribe {
  @ListId listId: string;

  /** Replace those of the subscription; if absent, those stay. */
  @OptionalPreferences preferences?: RecipientPreferences | null;
}

export class SubscribeToLists extends NamedUser {
  /** The last entry of a list counts. */
  @IsListOf(ListToSubscribe, 1_000) lists: ListToSubscribe[];
}

export const profileLists = defineOperations('audience.profile-lists', 'lists', {
  list: {
    route: 'GET /profiles/:user_id/lists',
    summary: 'List the lists a user is subscribed to, by id',
    request: ListProfileLists,
    response: SubscribedListsPage,
  },
  subscribe: {
    command: true,
    route: 'POST /profiles/:user_id/lists',
    summary: 'Subscribe a user to lists, to all of them or to none; missing lists are created',
    request: SubscribeToLists,
    response: ProfileWritten,
  },
  removeAll: {
    command: true,
    route: 'DELETE /profiles/:user_id/lists',
    summary: 'End all subscriptions of a user',
    request: NamedUser,
    response: ProfileWritten,
  },
});
