import { IsListOf, IsoDate, OptionalObject, Text } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { OptionalPreferences, type PreferenceMap, type RecipientPreferences } from '../core/preferences';
import { UserId } from '../identity/profiles';
import { ListId } from './list-ids';
import { NamedList } from './lists';

export const SUBSCRIPTIONS_PAGE_SIZE = 100;
/** A body of many subscribers takes longer than a single row. */
const WHOLE_BODY_DEADLINE_MS = 14_000;

export class ListSubscriptions extends CursorQuery {
  @ListId list_id: string;
}

export class Subscription {
  @Text recipientId: string;

  @IsoDate created: string;

  @OptionalPreferences preferences?: RecipientPreferences;
}

class SubscriptionsPage extends pageOf(Subscription, 'items') {}

/** A user to subscribe. */
export class Subscriber {
  @UserId recipientId: string;

  /** This user's preferences for sends to the list. */
  @OptionalPreferences preferences?: RecipientPreferences | null;
}

export class WriteSubscriptions extends NamedList {
  /** The last entry of a user counts. The bound is more than fit into a body of 6 MB. */
  @IsListOf(Subscriber, 400_000) recipients: Subscriber[];
}

export class NamedSubscription extends NamedList {
  @UserId user_id: string;
}

/** The body is `{ preferences }`, or its two maps at top level (older clients), or empty without preferences. */
export class PutSubscription extends NamedSubscription {
  @OptionalPreferences preferences?: RecipientPreferences | null;

  /** Older form, where `preferences` is absent. */
  @OptionalObject notifications?: PreferenceMap | null;

  /** Older form, where `preferences` is absent. */
  @OptionalObject categories?: PreferenceMap | null;
}

export const subscriptions = defineOperations('audience.subscriptions', 'lists', {
  list: {
    route: 'GET /lists/:list_id/subscriptions',
    summary: 'List the subscribers of a list, by id',
    request: ListSubscriptions,
    response: SubscriptionsPage,
  },
  replace: {
    command: true,
    route: 'PUT /lists/:list_id/subscriptions',
    summary: 'Replace all subscribers of a list; a missing list is created',
    request: WriteSubscriptions,
    deadlineMs: WHOLE_BODY_DEADLINE_MS,
  },
  add: {
    command: true,
    route: 'POST /lists/:list_id/subscriptions',
    summary: 'Add subscribers to a list; existing subscriptions stay unchanged, a missing list is created',
    request: WriteSubscriptions,
    deadlineMs: WHOLE_BODY_DEADLINE_MS,
  },
  put: {
    command: true,
    route: 'PUT /lists/:list_id/subscriptions/:user_id',
    summary: 'Subscribe a user to a list, or replace the preferences of the subscription; a missing list is created',
    request: PutSubscription,
  },
  remove: {
    command: true,
    route: 'DELETE /lists/:list_id/subscriptions/:user_id',
    summary: 'End a subscription to a list',
    request: NamedSubscription,
  },
});
