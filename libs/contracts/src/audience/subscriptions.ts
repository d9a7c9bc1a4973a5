import { IsListOf, IsoDate, OptionalObject, Text } from '../core/fields';
import { declaredFields, FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import {
  OptionalPreferences,
  PREFERENCE_FIELDS,
  PREFERENCE_MAP_FIELDS,
  type PreferenceMap,
  type RecipientPreferences,
  templatesIn,
} from '../core/preferences';
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
  /** Id of the user. @example "ada" */
  @Text recipientId: string;

  /** Since when the user is subscribed: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate created: string;

  /** The preferences of the user for sends to the list; absent if there are none. */
  @OptionalPreferences preferences?: RecipientPreferences;
}

/** @property items The subscriptions of this page, at most 100, by user id. */
class SubscriptionsPage extends pageOf(Subscription, 'items') {}

/** A user to subscribe. */
@FieldsOfAnswer(() => Subscription)
export class Subscriber {
  /** Id of the user, chosen by you; the user needs no profile. @example "ada" */
  @UserId recipientId: string;

  /** The preferences of the user for sends to the list; at most 256 KB as JSON. */
  @OptionalPreferences preferences?: RecipientPreferences | null;
}

export class WriteSubscriptions extends NamedList {
  /** The users to subscribe; the last entry of a user counts. The bound is more than fit into a body of 6 MB. */
  @IsListOf(Subscriber, 400_000) recipients: Subscriber[];
}

export class NamedSubscription extends NamedList {
  @UserId user_id: string;
}

/** The body is `{ preferences }`, or its two maps at top level (older clients), or empty without preferences. */
export class PutSubscription extends NamedSubscription {
  /** The preferences of the user for sends to the list; at most 256 KB as JSON. Absent or `null`: none. */
  @OptionalPreferences preferences?: RecipientPreferences | null;

  /**
   * The older form, for a body without `preferences`: its map by the id of a notification template.
   * @example { "nt_3Xo0aB1dQkS9fT2uVw5z": { "status": "OPTED_OUT" } }
   */
  @OptionalObject notifications?: PreferenceMap | null;

  /**
   * The older form, for a body without `preferences`: its map by the id of a topic or of a section.
   * @example { "tpc_7Hd2kQm3xYb5nVwZ4cRt": { "status": "OPTED_OUT" } }
   */
  @OptionalObject categories?: PreferenceMap | null;
}

const SUBSCRIBER_FIELDS = declaredFields(Subscriber, { preferences: PREFERENCE_FIELDS });

export const subscriptions = defineOperations('audience.subscriptions', 'lists', {
  /** Answers 404 for a list that does not exist. */
  list: {
    route: 'GET /lists/:list_id/subscriptions',
    summary: 'List the subscribers of a list, by id',
    request: ListSubscriptions,
    response: SubscriptionsPage,
  },
  /**
   * These users and no others are subscribed then. Users who were subscribed stay so since the same time. Stores all of it, or nothing.
   * @example { "recipients": [{ "recipientId": "ada" }, { "recipientId": "bob" }] }
   */
  replace: {
    audit: 'list:subscribers-changed',
    command: true,
    route: 'PUT /lists/:list_id/subscriptions',
    quota: 'lists',
    summary: 'Replace all subscribers of a list; a missing list is created',
    request: WriteSubscriptions,
    templateNames: ({ recipients }: WriteSubscriptions) => recipients.flatMap(({ preferences }) => templatesIn(preferences)),
    knownFields: declaredFields(WriteSubscriptions, { recipients: SUBSCRIBER_FIELDS }),
    deadlineMs: WHOLE_BODY_DEADLINE_MS,
  },
  /**
   * Existing subscriptions stay unchanged, with their preferences. Stores all of it, or nothing.
   * @example { "recipients": [{ "recipientId": "ada" }, { "recipientId": "bob" }] }
   */
  add: {
    audit: 'list:subscribers-changed',
    command: true,
    route: 'POST /lists/:list_id/subscriptions',
    quota: 'lists',
    summary: 'Add subscribers to a list; existing subscriptions stay unchanged, a missing list is created',
    request: WriteSubscriptions,
    templateNames: ({ recipients }: WriteSubscriptions) => recipients.flatMap(({ preferences }) => templatesIn(preferences)),
    knownFields: declaredFields(WriteSubscriptions, { recipients: SUBSCRIBER_FIELDS }),
    deadlineMs: WHOLE_BODY_DEADLINE_MS,
  },
  /**
   * The body may be left out, or be the two maps of preferences themselves.
   * @example { "preferences": { "notifications": { "nt_3Xo0aB1dQkS9fT2uVw5z": { "status": "OPTED_IN" } } } }
   */
  put: {
    audit: 'list:subscribers-changed',
    command: true,
    route: 'PUT /lists/:list_id/subscriptions/:user_id',
    quota: 'lists',
    summary: 'Subscribe a user to a list, or replace the preferences of the subscription; a missing list is created',
    request: PutSubscription,
    templateNames: ({ preferences, notifications }: PutSubscription) => templatesIn(preferences ?? { notifications }),
    knownFields: declaredFields(PutSubscription, { preferences: PREFERENCE_FIELDS, ...PREFERENCE_MAP_FIELDS }),
  },
  /** Answers 404 if the user is not subscribed to the list. */
  remove: {
    audit: 'list:subscribers-changed',
    command: true,
    route: 'DELETE /lists/:list_id/subscriptions/:user_id',
    summary: 'End a subscription to a list',
    request: NamedSubscription,
  },
});
