import { Type } from 'class-transformer';
import { IsIn, IsISO8601, IsString, ValidateNested } from 'class-validator';
import { IsListOf, IsText, OptionalNested } from '../core/fields';
import { defineOperation } from '../core/operation';
import { CursorQuery, Paging } from '../core/paging';
import { RecipientPreferences } from '../core/preferences';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';
import { LIST_ID_BYTES_MAX } from './list-ids';

export const PROFILE_LISTS_PAGE_SIZE = 100;
/** Maximum lists of one call. */
const LISTS_PER_CALL_MAX = 1_000;

export class NamedSubscriber {
  @IsText(1, USER_ID_LENGTH_MAX)
  user_id!: string;
}

export class ListProfileLists extends CursorQuery {
  @IsText(1, USER_ID_LENGTH_MAX)
  user_id!: string;
}

/** A list that the user is subscribed to. */
export class SubscribedList {
  @IsString()
  id!: string;

  @IsString()
  name!: string;

  /** When the list was created. */
  @IsISO8601()
  created!: string;

  /** When the list was updated. */
  @IsISO8601()
  updated!: string;

  /** The preferences of the subscription, or else of the list. */
  @OptionalNested(() => RecipientPreferences)
  preferences?: RecipientPreferences;
}

export class SubscribedListsPage {
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsListOf(() => SubscribedList)
  results!: SubscribedList[];
}

class ListToSubscribe {
  @IsText(1, LIST_ID_BYTES_MAX)
  listId!: string;

  /** Replace those of the subscription; if absent, those stay. */
  @OptionalNested(() => RecipientPreferences)
  preferences?: RecipientPreferences | null;
}

export class SubscribeToLists extends NamedSubscriber {
  /** The last entry of a list counts. */
  @IsListOf(() => ListToSubscribe, LISTS_PER_CALL_MAX)
  lists!: ListToSubscribe[];
}

export class ProfileListsWritten {
  @IsIn(['SUCCESS'])
  status!: 'SUCCESS';
}

export const profileLists = {
  list: defineOperation({
    pattern: 'audience.profile-lists.list',
    route: 'GET /profiles/:user_id/lists',
    scope: 'read:lists',
    summary: 'List the lists a user is subscribed to, by id',
    request: ListProfileLists,
    response: SubscribedListsPage,
  }),
  subscribe: defineOperation({
    pattern: 'audience.profile-lists.subscribe',
    command: true,
    route: 'POST /profiles/:user_id/lists',
    scope: 'write:lists',
    summary: 'Subscribe a user to lists, to all of them or to none; missing lists are created',
    request: SubscribeToLists,
    response: ProfileListsWritten,
  }),
  removeAll: defineOperation({
    pattern: 'audience.profile-lists.removeAll',
    command: true,
    route: 'DELETE /profiles/:user_id/lists',
    scope: 'write:lists',
    summary: 'End all subscriptions of a user',
    request: NamedSubscriber,
    response: ProfileListsWritten,
  }),
};
