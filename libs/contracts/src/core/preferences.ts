import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsObject, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { CHANNEL_CLASSES, type ChannelClass } from './channels';
import { IsInstant } from './instant';

/** What somebody wants of a topic; `REQUIRED` is a default that nobody can opt out of. */
export const PREFERENCE_STATUSES = ['OPTED_IN', 'OPTED_OUT', 'REQUIRED'] as const;
export type PreferenceStatus = (typeof PREFERENCE_STATUSES)[number];

/** Topics are made by us and their ids are short; ids of other systems, in the map form, may be longer than ours. */
export const TOPIC_ID_LENGTH_MAX = 128;
/** Preferences in the map form, of one recipient, list or subscription, as JSON. */
export const RECIPIENT_PREFERENCES_BYTES_MAX = 256 * 1024;

const RULES_MAX = 20;
const CHANNEL_PREFERENCES_MAX = 20;
export const CUSTOM_ROUTING_MAX = 20;
export const CHANNEL_LENGTH_MAX = 64;

/** A channel that is allowed; where any is named, the others are not. */
class ChannelPreference {
  @IsIn(CHANNEL_CLASSES)
  channel!: ChannelClass;
}

/** Says no for a time: from `start` (now, where it is absent) until `until`. */
export class PreferenceRule {
  @IsOptional()
  @IsIn(['snooze'])
  type?: 'snooze';

  @IsInstant()
  until!: string;

  @IsOptional()
  @IsInstant()
  start?: string | null;
}

/** A preference of the older map form. */
export class PreferenceDetails {
  @IsIn(PREFERENCE_STATUSES)
  status!: PreferenceStatus;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(CHANNEL_PREFERENCES_MAX)
  @ValidateNested({ each: true })
  @Type(() => ChannelPreference)
  channel_preferences?: ChannelPreference[] | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(RULES_MAX)
  @ValidateNested({ each: true })
  @Type(() => PreferenceRule)
  rules?: PreferenceRule[] | null;
}

/**
 * Preferences in the older map form, of a recipient, a list or a subscription: by notification id, and by topic or category id.
 * The values of both maps are `PreferenceDetails`; whoever stores them checks each.
 */
export class RecipientPreferences {
  @IsOptional()
  @IsObject()
  notifications?: Record<string, PreferenceDetails> | null;

  @IsOptional()
  @IsObject()
  categories?: Record<string, PreferenceDetails> | null;
}

/** Where a preference names channels, it does so only with `has_custom_routing`. */
export interface CustomRouting {
  custom_routing?: ChannelClass[] | null;
  has_custom_routing?: boolean | null;
}

/** A choice of channels as a client says it. */
export class ChosenChannels {
  /** The only channels wanted. Names that are no channel are passed over. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(CUSTOM_ROUTING_MAX)
  @IsString({ each: true })
  @MaxLength(CHANNEL_LENGTH_MAX, { each: true })
  custom_routing?: string[] | null;

  /** Whether `custom_routing` counts. Default: when it names a channel. */
  @IsOptional()
  @IsBoolean()
  has_custom_routing?: boolean | null;
}
