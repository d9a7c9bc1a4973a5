import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { defineOperation, Nothing } from '../core/operation';
import { Paging } from '../core/paging';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import {
  CHANNEL_LENGTH_MAX,
  ChosenChannels,
  CUSTOM_ROUTING_MAX,
  PREFERENCE_STATUSES,
  type PreferenceStatus,
  TOPIC_ID_LENGTH_MAX,
} from '../core/preferences';
import { USER_ID_LENGTH_MAX } from './profiles';
import { TENANT_ID_LENGTH_MAX } from './tenants';

export const BULK_TOPICS_MAX = 50;
/** What one user may have chosen, in all tenants together. */
export const PREFERENCES_PER_USER_MAX = 5_000;
const SCHEDULE_ID_LENGTH_MAX = 256;

/** What a person can say of a topic. */
export const CHOICES = ['OPTED_IN', 'OPTED_OUT'] as const;
export type Choice = (typeof CHOICES)[number];

export class ListUserPreferences {
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  user_id!: string;

  /** The tenant in whose context it is asked or chosen; absent for what counts everywhere. */
  @IsOptional()
  @IsString()
  @Length(1, TENANT_ID_LENGTH_MAX)
  tenant_id?: string;
}

export class NamedUserPreference extends ListUserPreferences {
  @IsString()
  @Length(1, TOPIC_ID_LENGTH_MAX)
  topic_id!: string;
}

export class TopicChoice extends ChosenChannels {
  /** `REQUIRED` says nothing of one's own and is taken for topics that are. */
  @IsIn(PREFERENCE_STATUSES)
  status!: PreferenceStatus;

  /** Digests are not served: anything but `null` is refused. */
  @IsOptional()
  @IsString()
  @MaxLength(SCHEDULE_ID_LENGTH_MAX)
  digest_schedule_id?: string | null;
}

export class PutUserPreference extends NamedUserPreference {
  @IsOptional()
  @ValidateNested()
  @Type(() => TopicChoice)
  topic?: TopicChoice | null;

  /** Older clients have the fields of `topic` at the top. */
  @IsOptional()
  @IsIn(PREFERENCE_STATUSES)
  status?: PreferenceStatus | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(CUSTOM_ROUTING_MAX)
  @IsString({ each: true })
  @MaxLength(CHANNEL_LENGTH_MAX, { each: true })
  custom_routing?: string[] | null;

  @IsOptional()
  @IsBoolean()
  has_custom_routing?: boolean | null;

  @IsOptional()
  @IsString()
  @MaxLength(SCHEDULE_ID_LENGTH_MAX)
  digest_schedule_id?: string | null;
}

export class BulkTopic extends ChosenChannels {
  /** Digests are not served: anything but `null` is refused. */
  @IsOptional()
  @IsString()
  @MaxLength(SCHEDULE_ID_LENGTH_MAX)
  digest_schedule_id?: string | null;

  @IsString()
  @Length(1, TOPIC_ID_LENGTH_MAX)
  topic_id!: string;

  @IsIn(CHOICES)
  status!: Choice;
}

export class ReplaceUserPreferences extends ListUserPreferences {
  /** Each topic once; what is not mentioned is forgotten. */
  @IsDefined()
  @IsArray()
  @ArrayMaxSize(BULK_TOPICS_MAX)
  @ValidateNested({ each: true })
  @Type(() => BulkTopic)
  topics!: BulkTopic[];
}

export class UpsertUserPreferences extends ListUserPreferences {
  /** Each topic once; what is not mentioned stays. */
  @IsDefined()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(BULK_TOPICS_MAX)
  @ValidateNested({ each: true })
  @Type(() => BulkTopic)
  topics!: BulkTopic[];
}

/** What counts for a user and a topic. */
export class TopicPreference {
  @IsString()
  topic_id!: string;

  @IsString()
  topic_name!: string;

  /** What counts; `REQUIRED` whatever was chosen where nobody can opt out. */
  @IsIn(PREFERENCE_STATUSES)
  status!: PreferenceStatus;

  /** What would count if the user had chosen nothing: the tenant's default, or the topic's. */
  @IsIn(PREFERENCE_STATUSES)
  default_status!: PreferenceStatus;

  @IsBoolean()
  has_custom_routing!: boolean;

  /** The only channels that count; empty where nobody chose any. */
  @IsArray()
  @IsIn(CHANNEL_CLASSES, { each: true })
  custom_routing!: ChannelClass[];

  @IsString()
  section_id!: string;

  @IsString()
  section_name!: string;
}

export class UserPreferences {
  /** Every topic of the workspace, the oldest first. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => TopicPreference)
  items!: TopicPreference[];

  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;
}

export class UserPreference {
  @ValidateNested()
  @Type(() => TopicPreference)
  topic!: TopicPreference;
}

export class UserPreferenceWritten {
  @IsIn(['success'])
  message!: 'success';
}

/** A choice as it is kept. */
export class ChosenTopic {
  @IsString()
  topic_id!: string;

  @IsIn(CHOICES)
  status!: Choice;

  @IsBoolean()
  has_custom_routing!: boolean;

  @IsArray()
  @IsIn(CHANNEL_CLASSES, { each: true })
  custom_routing!: ChannelClass[];
}

export class UserPreferencesReplaced {
  /** In the order asked. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ChosenTopic)
  items!: ChosenTopic[];

  /** Topics that are there and whose choice was forgotten. */
  @IsArray()
  @IsString({ each: true })
  deleted!: string[];
}

export class RefusedTopic {
  @IsString()
  topic_id!: string;

  @IsString()
  reason!: string;
}

export class UserPreferencesUpserted {
  /** What was kept, in the order asked. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ChosenTopic)
  items!: ChosenTopic[];

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => RefusedTopic)
  errors!: RefusedTopic[];
}

const read = { scope: 'read:preferences', ofUser: 'user_id' } as const;
const write = { scope: 'write:preferences', ofUser: 'user_id' } as const;

export const userPreferences = {
  list: defineOperation({
    pattern: 'identity.user-preferences.list',
    route: 'GET /users/:user_id/preferences',
    ...read,
    summary: 'What counts for a user, topic by topic',
    request: ListUserPreferences,
    response: UserPreferences,
  }),
  retrieve: defineOperation({
    pattern: 'identity.user-preferences.retrieve',
    route: 'GET /users/:user_id/preferences/:topic_id',
    ...read,
    summary: 'What counts for a user and a topic',
    request: NamedUserPreference,
    response: UserPreference,
  }),
  put: defineOperation({
    pattern: 'identity.user-preferences.put',
    servedInPart: true,
    route: 'PUT /users/:user_id/preferences/:topic_id',
    ...write,
    summary: "Set a user's choice for a topic",
    request: PutUserPreference,
    response: UserPreferenceWritten,
    query: ['tenant_id'],
  }),
  remove: defineOperation({
    pattern: 'identity.user-preferences.remove',
    route: 'DELETE /users/:user_id/preferences/:topic_id',
    status: 204,
    ...write,
    summary: "Forget a user's choice for a topic",
    request: NamedUserPreference,
    response: Nothing,
  }),
  replace: defineOperation({
    pattern: 'identity.user-preferences.replace',
    route: 'PUT /users/:user_id/preferences',
    ...write,
    summary: 'Replace all choices of a user',
    request: ReplaceUserPreferences,
    response: UserPreferencesReplaced,
    query: ['tenant_id'],
    servedInPart: true,
  }),
  upsert: defineOperation({
    pattern: 'identity.user-preferences.upsert',
    route: 'POST /users/:user_id/preferences',
    ...write,
    summary: 'Set some choices of a user',
    request: UpsertUserPreferences,
    response: UserPreferencesUpserted,
    query: ['tenant_id'],
    servedInPart: true,
  }),
};
