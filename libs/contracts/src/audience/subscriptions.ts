import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsDefined, IsISO8601, IsObject, IsOptional, IsString, Length, ValidateNested } from 'class-validator';
import { defineOperation, Nothing } from '../core/operation';
import { CursorQuery, Paging } from '../core/paging';
import { type PreferenceDetails, RecipientPreferences } from '../core/preferences';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';
import { LIST_ID_BYTES_MAX } from './list-ids';
import { NamedList } from './lists';

export const SUBSCRIPTIONS_PAGE_SIZE = 100;
/** More than a body of 6 MB has room for. */
const SUBSCRIBERS_PER_CALL_MAX = 400_000;
/** A whole body of subscribers takes longer than a row. */
const WHOLE_BODY_DEADLINE_MS = 14_000;

export class ListSubscriptions extends CursorQuery {
  @IsString()
  @Length(1, LIST_ID_BYTES_MAX)
  list_id!: string;
}

export class Subscription {
  @IsString()
  recipientId!: string;

  @IsISO8601()
  created!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => RecipientPreferences)
  preferences?: RecipientPreferences;
}

export class SubscriptionsPage {
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Subscription)
  items!: Subscription[];
}

/** Somebody to be subscribed. */
export class Subscriber {
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  recipientId!: string;

  /** What this user wants of what is sent to the list. */
  @IsOptional()
  @ValidateNested()
  @Type(() => RecipientPreferences)
  preferences?: RecipientPreferences | null;
}

export class WriteSubscriptions extends NamedList {
  /** Of a user that is named twice the last counts. */
  @IsDefined()
  @IsArray()
  @ArrayMaxSize(SUBSCRIBERS_PER_CALL_MAX)
  @ValidateNested({ each: true })
  @Type(() => Subscriber)
  recipients!: Subscriber[];
}

export class NamedSubscription extends NamedList {
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  user_id!: string;
}

/** `preferences`, or, as older clients do it, its two maps as the body itself; nothing where the user wants nothing in particular. */
export class PutSubscription extends NamedSubscription {
  @IsOptional()
  @ValidateNested()
  @Type(() => RecipientPreferences)
  preferences?: RecipientPreferences | null;

  /** Older form, where `preferences` is absent. */
  @IsOptional()
  @IsObject()
  notifications?: Record<string, PreferenceDetails> | null;

  /** Older form, where `preferences` is absent. */
  @IsOptional()
  @IsObject()
  categories?: Record<string, PreferenceDetails> | null;
}

export const subscriptions = {
  list: defineOperation({
    pattern: 'audience.subscriptions.list',
    route: 'GET /lists/:list_id/subscriptions',
    scope: 'read:lists',
    summary: 'List the subscribers of a list, by id',
    request: ListSubscriptions,
    response: SubscriptionsPage,
  }),
  replace: defineOperation({
    pattern: 'audience.subscriptions.replace',
    route: 'PUT /lists/:list_id/subscriptions',
    status: 204,
    scope: 'write:lists',
    summary: 'Replace all subscribers of a list, which is created where it is not there',
    request: WriteSubscriptions,
    response: Nothing,
    deadlineMs: WHOLE_BODY_DEADLINE_MS,
  }),
  add: defineOperation({
    pattern: 'audience.subscriptions.add',
    route: 'POST /lists/:list_id/subscriptions',
    status: 204,
    scope: 'write:lists',
    summary: 'Add subscribers to a list, which is created where it is not there; those it has stay as they are',
    request: WriteSubscriptions,
    response: Nothing,
    deadlineMs: WHOLE_BODY_DEADLINE_MS,
  }),
  put: defineOperation({
    pattern: 'audience.subscriptions.put',
    route: 'PUT /lists/:list_id/subscriptions/:user_id',
    status: 204,
    scope: 'write:lists',
    summary: 'Subscribe a user to a list, which is created where it is not there, or replace the preferences of the subscription',
    request: PutSubscription,
    response: Nothing,
  }),
  remove: defineOperation({
    pattern: 'audience.subscriptions.remove',
    route: 'DELETE /lists/:list_id/subscriptions/:user_id',
    status: 204,
    scope: 'write:lists',
    summary: 'End a subscription to a list',
    request: NamedSubscription,
    response: Nothing,
  }),
};
