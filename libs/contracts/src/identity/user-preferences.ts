import { ArrayMinSize, IsIn } from 'class-validator';
import {
  Flag,
  IsListOf,
  MaybeNested,
  OptionalFlag,
  OptionalNested,
  OptionalOneOf,
  OptionalTextOf,
  SomeOf,
  Text,
  Texts,
} from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { pageOf } from '../core/paging';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import { ChosenChannels, OptionalChannels, PREFERENCE_STATUSES, type PreferenceStatus, TopicId, TopicStatus } from '../core/preferences';
import { UserId } from './profiles';
import { OptionalTenantId } from './tenants';

export const BULK_TOPICS_MAX = 50;
/** Maximum choices of one user, in all tenants together. */
export const PREFERENCES_PER_USER_MAX = 5_000;
/** Digests are not served: any value but `null` is refused with 501. @example null */
const DigestSchedule = OptionalTextOf(256);

/** The choices of a person for a topic. */
export const CHOICES = ['OPTED_IN', 'OPTED_OUT'] as const;
export type Choice = (typeof CHOICES)[number];

export class ListUserPreferences {
  @UserId user_id: string;

  /**
   * The tenant in whose context the choice counts; it need not exist yet. Absent: the choices that count in every context.
   * @example "acme"
   */
  @OptionalTenantId tenant_id?: string;
}

export class NamedUserPreference extends ListUserPreferences {
  @TopicId topic_id: string;
}

@FieldsOfAnswer(() => TopicPreference)
export class TopicChoice extends ChosenChannels {
  /**
   * The choice. `REQUIRED` is none, and is accepted for topics that are `REQUIRED`: then only the channels are stored.
   * @example "OPTED_OUT"
   */
  @TopicStatus status: PreferenceStatus;

  @DigestSchedule digest_schedule_id?: string | null;
}

@FieldsOfAnswer(() => TopicPreference)
export class PutUserPreference extends NamedUserPreference {
  /** The choice. Absent: its fields are those of the body itself. */
  @OptionalNested(TopicChoice) topic?: TopicChoice | null;

  /** The older form, for a body without `topic`: its fields are here. @example "OPTED_OUT" */
  @OptionalOneOf(PREFERENCE_STATUSES) status?: PreferenceStatus | null;

  @OptionalChannels custom_routing?: string[] | null;

  /** Whether `custom_routing` counts. Default: whether it names a channel. @example true */
  @OptionalFlag has_custom_routing?: boolean | null;

  @DigestSchedule digest_schedule_id?: string | null;
}

@FieldsOfAnswer(() => TopicPreference)
export class BulkTopic extends ChosenChannels {
  @DigestSchedule digest_schedule_id?: string | null;

  @TopicId topic_id: string;

  /**
   * The choice; to opt out is refused if the topic is `REQUIRED`. `REQUIRED` is none, and is accepted for such topics: then only the channels
   * are stored.
   * @example "OPTED_OUT"
   */
  @TopicStatus status: PreferenceStatus;
}

export class ReplaceUserPreferences extends ListUserPreferences {
  /** The choices, each topic once. Choices for other topics are deleted; an empty array deletes all. */
  @IsListOf(BulkTopic, BULK_TOPICS_MAX) topics: BulkTopic[];
}

export class UpsertUserPreferences extends ListUserPreferences {
  /** The choices, each topic once. Choices for other topics stay. */
  @IsListOf(BulkTopic, BULK_TOPICS_MAX)
  @ArrayMinSize(1)
  topics: BulkTopic[];
}

/** The effective preference of a user for a topic. */
export class TopicPreference {
  /** Id of the topic. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text topic_id: string;

  /** Name of the topic for people. @example "Releases" */
  @Text topic_name: string;

  /** The effective status, by the same rules as in a send; `REQUIRED` if the user cannot opt out. @example "OPTED_OUT" */
  @TopicStatus status: PreferenceStatus;

  /** The status without a choice of the user: that of the tenant's default, else of the topic. @example "OPTED_IN" */
  @TopicStatus default_status: PreferenceStatus;

  /** Whether only the channels of `custom_routing` are used. @example false */
  @Flag has_custom_routing: boolean;

  /** The only channels that are used; empty if none were chosen. @example [] */
  @SomeOf(CHANNEL_CLASSES) custom_routing: ChannelClass[];

  /** Id of the section of the topic. @example "sct_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text section_id: string;

  /** Heading of that section. @example "News" */
  @Text section_name: string;
}

/**
 * Every topic of the workspace, the oldest first.
 * @property items Every topic of the workspace with the effective preference of the user, the oldest first; one page has all.
 */
class UserPreferences extends pageOf(TopicPreference, 'items') {}

class UserPreference {
  /** The effective preference of the user for the topic. */
  @MaybeNested(TopicPreference) topic: TopicPreference;
}

class UserPreferenceWritten {
  /** Always `success`: an error has another status code and body. */
  @IsIn(['success']) message: 'success';
}

/** A stored choice. */
export class ChosenTopic {
  /** Id of the topic. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text topic_id: string;

  /** The choice, as sent. @example "OPTED_OUT" */
  @TopicStatus status: PreferenceStatus;

  /** Whether only the channels of `custom_routing` are used. @example false */
  @Flag has_custom_routing: boolean;

  /** The only channels that are used; empty if none were chosen. @example [] */
  @SomeOf(CHANNEL_CLASSES) custom_routing: ChannelClass[];
}

class UserPreferencesReplaced {
  /** The stored choices, in the order of the request. */
  @IsListOf(ChosenTopic) items: ChosenTopic[];

  /** Ids of the existing topics whose choice was deleted. @example ["tpc_7Hd2kQm3xYb5nVwZ4cRt"] */
  @Texts deleted: string[];
}

export class RefusedTopic {
  /** Id of the topic, as sent. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text topic_id: string;

  /** Why its choice was not stored. @example "Topic tpc_7Hd2kQm3xYb5nVwZ4cRt does not exist" */
  @Text reason: string;
}

class UserPreferencesUpserted {
  /** The stored choices, in the order of the request. */
  @IsListOf(ChosenTopic) items: ChosenTopic[];

  /** The topics whose choice was refused; the other choices are stored. */
  @IsListOf(RefusedTopic) errors: RefusedTopic[];
}

export const userPreferences = defineOperations(
  'identity.user-preferences',
  'preferences',
  {
    /** Every topic of the workspace, with the status and the channels that a send to the user would apply. Snoozes are not shown. */
    list: {
      route: 'GET /users/:user_id/preferences',
      summary: 'List the effective preferences of a user, by topic',
      request: ListUserPreferences,
      response: UserPreferences,
    },
    /** The status and the channels that a send to the user would apply. Answers 404 for a topic that does not exist. */
    retrieve: {
      route: 'GET /users/:user_id/preferences/:topic_id',
      summary: 'Get the effective preference of a user for a topic',
      request: NamedUserPreference,
      response: UserPreference,
    },
    /**
     * Replaces the choice for the topic. Opting out of a topic that is `REQUIRED` is refused.
     * @example { "topic": { "status": "OPTED_OUT" } }
     */
    put: {
      audit: 'user:preferences-changed',
      command: true,
      servedInPart: true,
      route: 'PUT /users/:user_id/preferences/:topic_id',
      summary: "Set a user's choice for a topic",
      request: PutUserPreference,
      requiresBody: true,
      response: UserPreferenceWritten,
      query: ['tenant_id'],
    },
    /** The default applies again. Also answers 204 if there is no choice. */
    remove: {
      audit: 'user:preferences-changed',
      command: true,
      route: 'DELETE /users/:user_id/preferences/:topic_id',
      generation: 'later',
      summary: "Delete a user's choice for a topic",
      request: NamedUserPreference,
    },
    /**
     * Stores all choices, or none: one that is refused is 400. Choices of other contexts (`tenant_id`) stay.
     * @example { "topics": [{ "topic_id": "tpc_7Hd2kQm3xYb5nVwZ4cRt", "status": "OPTED_OUT" }] }
     */
    replace: {
      audit: 'user:preferences-changed',
      command: true,
      route: 'PUT /users/:user_id/preferences',
      generation: 'later',
      summary: 'Replace all choices of a user',
      request: ReplaceUserPreferences,
      response: UserPreferencesReplaced,
      query: ['tenant_id'],
      servedInPart: true,
    },
    /**
     * Stores the choices that are valid, and reports the others in `errors`.
     * @example { "topics": [{ "topic_id": "tpc_7Hd2kQm3xYb5nVwZ4cRt", "status": "OPTED_OUT" }] }
     */
    upsert: {
      audit: 'user:preferences-changed',
      command: true,
      route: 'POST /users/:user_id/preferences',
      generation: 'later',
      summary: 'Set some choices of a user',
      request: UpsertUserPreferences,
      response: UserPreferencesUpserted,
      query: ['tenant_id'],
      servedInPart: true,
    },
  },
  { ofUser: 'user_id' },
);
