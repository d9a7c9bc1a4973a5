import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsDefined, IsIn, IsISO8601, IsOptional, IsString, Length, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';
import { CursorQuery, Paging } from '../core/paging';
import { RecipientPreferences } from '../core/preferences';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';
import { LIST_ID_BYTES_MAX } from './list-ids';

export const PROFILE_LISTS_PAGE_SIZE = 100;
/** To how many lists a user can be subscribed in one call. */
const LISTS_PER_CALL_MAX = 1_000;

export class NamedSubscriber {
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  user_id!: string;
}

export class ListProfileLists extends CursorQuery {
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  user_id!: string;
}

/** A list somebody is subscribed to. */
export class SubscribedList {
  @IsString()
  id!: string;

  @IsString()
  name!: string;

  /** Of the list. */
  @IsISO8601()
  created!: string;

  /** Of the list. */
  @IsISO8601()
  updated!: string;

  /** Of the subscription; where it has none, of the list. */
  @IsOptional()
  @ValidateNested()
  @Type(() => RecipientPreferences)
  preferences?: RecipientPreferences;
}

export class SubscribedListsPage {
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => SubscribedList)
  results!: SubscribedList[];
}

class ListToSubscribe {
  @IsString()
  @Length(1, LIST_ID_BYTES_MAX)
  listId!: string;

  /** Take the place of what the subscription had; absent, that stays. */
  @IsOptional()
  @ValidateNested()
  @Type(() => RecipientPreferences)
  preferences?: RecipientPreferences | null;
}

export class SubscribeToLists extends NamedSubscriber {
  /** Of a list that is named twice the last counts. */
  @IsDefined()
  @IsArray()
  @ArrayMaxSize(LISTS_PER_CALL_MAX)
  @ValidateNested({ each: true })
  @Type(() => ListToSubscribe)
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
    route: 'POST /profiles/:user_id/lists',
    scope: 'write:lists',
    summary: 'Subscribe a user to lists, which are created where they are not there: to all of them, or to none',
    request: SubscribeToLists,
    response: ProfileListsWritten,
  }),
  removeAll: defineOperation({
    pattern: 'audience.profile-lists.removeAll',
    route: 'DELETE /profiles/:user_id/lists',
    scope: 'write:lists',
    summary: 'End all subscriptions of a user',
    request: NamedSubscriber,
    response: ProfileListsWritten,
  }),
};
