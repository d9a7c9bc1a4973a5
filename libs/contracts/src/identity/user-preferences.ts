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
import { defineOperations } from '../core/operation';
import { pageOf } from '../core/paging';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import { ChosenChannels, OptionalChannels, PREFERENCE_STATUSES, type PreferenceStatus, TopicId, TopicStatus } from '../core/preferences';
import { UserId } from './profiles';
import { OptionalTenantId } from './tenants';

export const BULK_TOPICS_MAX = 50;
/** Maximum choices of one user, in all tenants together. */
export const PREFERENCES_PER_USER_MAX = 5_000;
/** Digests are not served: anything but `null` is refused. */
const DigestSchedule = OptionalTextOf(256);

/** The choices of a person for a topic. */
export const CHOICES = ['OPTED_IN', 'OPTED_OUT'] as const;
export type Choice = (typeof CHOICES)[number];

export class ListUserPreferences {
  @UserId user_id: string;

  /** The tenant in whose context the choice counts; absent: in every context. */
  @OptionalTenantId tenant_id?: string;
}

export class NamedUserPreference extends ListUserPreferences {
  @TopicId topic_id: string;
}

export class TopicChoice extends ChosenChannels {
  /** `REQUIRED` is no choice; it is accepted for topics that are `REQUIRED`. */
  @TopicStatus status: PreferenceStatus;

  @DigestSchedule digest_schedule_id?: string | null;
}

export class PutUserPreference extends NamedUserPreference {
  @OptionalNested(TopicChoice) topic?: TopicChoice | null;

  /** Older clients send the fields of `topic` at the top level. */
  @OptionalOneOf(PREFERENCE_STATUSES) status?: PreferenceStatus | null;

  @OptionalChannels custom_routing?: string[] | null;

  @OptionalFlag has_custom_routing?: boolean | null;

  @DigestSchedule digest_schedule_id?: string | null;
}

export class BulkTopic extends ChosenChannels {
  @DigestSchedule digest_schedule_id?: string | null;

  @TopicId topic_id: string;

  @IsIn(CHOICES) status: Choice;
}

export class ReplaceUserPreferences extends ListUserPreferences {
  /** Each topic once; choices for other topics are deleted. */
  @IsListOf(BulkTopic, BULK_TOPICS_MAX) topics: BulkTopic[];
}

export class UpsertUserPreferences extends ListUserPreferences {
  /** Each topic once; choices for other topics stay. */
  @IsListOf(BulkTopic, BULK_TOPICS_MAX)
  @ArrayMinSize(1)
  topics: BulkTopic[];
}

/** The effective preference of a user for a topic. */
export class TopicPreference {
  @Text topic_id: string;

  @Text topic_name: string;

  /** The effective status; `REQUIRED` without opt-out, whatever the choice. */
  @TopicStatus status: PreferenceStatus;

  /** The status without a choice of the user: the tenant's default, or the topic's. */
  @TopicStatus default_status: PreferenceStatus;

  @Flag has_custom_routing: boolean;

  /** The only channels allowed; empty if none were chosen. */
  @SomeOf(CHANNEL_CLASSES) custom_routing: ChannelClass[];

  @Text section_id: string;

  @Text section_name: string;
}

/** Every topic of the workspace, the oldest first. */
class UserPreferences extends pageOf(TopicPreference, 'items') {}

class UserPreference {
  @MaybeNested(TopicPreference) topic: TopicPreference;
}

class UserPreferenceWritten {
  @IsIn(['success']) message: 'success';
}

/** A stored choice. */
export class ChosenTopic {
  @Text topic_id: string;

  @IsIn(CHOICES) status: Choice;

  @Flag has_custom_routing: boolean;

  @SomeOf(CHANNEL_CLASSES) custom_routing: ChannelClass[];
}

class UserPreferencesReplaced {
  /** In the order of the request. */
  @IsListOf(ChosenTopic) items: ChosenTopic[];

  /** Existing topics whose choice was deleted. */
  @Texts deleted: string[];
}

export class RefusedTopic {
  @Text topic_id: string;

  @Text reason: string;
}

class UserPreferencesUpserted {
  /** The stored choices, in the order of the request. */
  @IsListOf(ChosenTopic) items: ChosenTopic[];

  @IsListOf(RefusedTopic) errors: RefusedTopic[];
}

export const userPreferences = defineOperations(
  'identity.user-preferences',
  'preferences',
  {
    list: {
      route: 'GET /users/:user_id/preferences',
      summary: 'List the effective preferences of a user, by topic',
      request: ListUserPreferences,
      response: UserPreferences,
    },
    retrieve: {
      route: 'GET /users/:user_id/preferences/:topic_id',
      summary: 'Get the effective preference of a user for a topic',
      request: NamedUserPreference,
      response: UserPreference,
    },
    put: {
      command: true,
      servedInPart: true,
      route: 'PUT /users/:user_id/preferences/:topic_id',
      summary: "Set a user's choice for a topic",
      request: PutUserPreference,
      response: UserPreferenceWritten,
      query: ['tenant_id'],
    },
    remove: {
      command: true,
      route: 'DELETE /users/:user_id/preferences/:topic_id',
      generation: 'later',
      summary: "Delete a user's choice for a topic",
      request: NamedUserPreference,
    },
    replace: {
      command: true,
      route: 'PUT /users/:user_id/preferences',
      generation: 'later',
      summary: 'Replace all choices of a user',
      request: ReplaceUserPreferences,
      response: UserPreferencesReplaced,
      query: ['tenant_id'],
      servedInPart: true,
    },
    upsert: {
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
