import { IsIn } from 'class-validator';
import { CHANNEL_CLASSES, type ChannelClass } from './channels';
import { Optional, OptionalFlag, OptionalListOf, OptionalNested, OptionalObject, OptionalOneOf, OptionalTextsOf, TextOf } from './fields';
import { IsInstant } from './instant';

/** A person's choice for a topic; `REQUIRED` is a default without opt-out. */
export const PREFERENCE_STATUSES = ['OPTED_IN', 'OPTED_OUT', 'REQUIRED'] as const;
export type PreferenceStatus = (typeof PREFERENCE_STATUSES)[number];
export const TopicStatus = IsIn(PREFERENCE_STATUSES);

/** Our own topic ids are shorter; ids of other systems, in the map form, may need this length. */
export const TopicId = TextOf(1, 128);
/** Size of the preferences in the map form of one recipient, list or subscription, as JSON. */
export const RECIPIENT_PREFERENCES_BYTES_MAX = 256 * 1024;

/** The channels of a choice, by name. */
export const OptionalChannels = OptionalTextsOf(20, 64);

/** An allowed channel; if one is named, only named channels are allowed. */
class ChannelPreference {
  @IsIn(CHANNEL_CLASSES)
  channel: ChannelClass;
}

/** A temporary opt-out from `start` (default: now) until `until`. */
export class PreferenceRule {
  @OptionalOneOf(['snooze']) type?: 'snooze';

  @IsInstant until: string;

  @Optional(IsInstant) start?: string | null;
}

/** A preference of the older map form. */
export class PreferenceDetails {
  @TopicStatus status: PreferenceStatus;

  @OptionalListOf(ChannelPreference, 20)
  channel_preferences?: ChannelPreference[] | null;

  @OptionalListOf(PreferenceRule, 20)
  rules?: PreferenceRule[] | null;
}

/** By id; the service that stores a map checks each value. */
export type PreferenceMap = Record<string, PreferenceDetails>;

/** Preferences in the older map form, of a recipient, a list or a subscription: by notification id, and by topic or category id. */
export class RecipientPreferences {
  @OptionalObject
  notifications?: PreferenceMap | null;

  @OptionalObject
  categories?: PreferenceMap | null;
}

export const OptionalPreferences = OptionalNested(RecipientPreferences);

/** The channels of a preference; they count only with `has_custom_routing`. */
export interface CustomRouting {
  custom_routing?: ChannelClass[] | null;
  has_custom_routing?: boolean | null;
}

/** A choice of channels as a client sends it. */
export class ChosenChannels {
  /** The only channels wanted. Unknown channel names are ignored. */
  @OptionalChannels custom_routing?: string[] | null;

  /** Whether `custom_routing` counts. Default: if it names a channel. */
  @OptionalFlag
  has_custom_routing?: boolean | null;
}
