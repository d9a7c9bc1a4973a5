import { IsIn } from 'class-validator';
import { CHANNEL_CLASSES, type ChannelClass } from './channels';
import { Optional, OptionalFlag, OptionalListOf, OptionalNested, OptionalObject, OptionalOneOf, OptionalTextsOf, TextOf } from './fields';
import { IsInstant } from './instant';
import { declaredFields, fieldsOfEach, type KnownFields, namedFields } from './known-fields';

/** A person's choice for a topic; `REQUIRED` is a default without opt-out. */
export const PREFERENCE_STATUSES = ['OPTED_IN', 'OPTED_OUT', 'REQUIRED'] as const;
export type PreferenceStatus = (typeof PREFERENCE_STATUSES)[number];
export const TopicStatus = IsIn(PREFERENCE_STATUSES);

/** Ids of other systems, in the map form, may need this length. */
export const TOPIC_ID_LENGTH_MAX = 128;
/** Id of the topic, generated when it was created. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
export const TopicId = TextOf(1, TOPIC_ID_LENGTH_MAX);
/** Size of the preferences in the map form of one recipient, list or subscription, as JSON. */
export const RECIPIENT_PREFERENCES_BYTES_MAX = 256 * 1024;

/**
 * The only channels wanted; names that are no channel are ignored. They count only with `has_custom_routing`.
 * @example ["email", "push"]
 */
export const OptionalChannels = OptionalTextsOf(20, 64);

/** An allowed channel; if one is named, only named channels are allowed. */
class ChannelPreference {
  /** A channel that is allowed. As soon as one is named, no other is used. @example "email" */
  @IsIn(CHANNEL_CLASSES)
  channel: ChannelClass;
}

/** A temporary opt-out from `start` (default: now) until `until`. */
export class PreferenceRule {
  /** Always `snooze`, also if absent. @example "snooze" */
  @OptionalOneOf(['snooze']) type?: 'snooze';

  /** End of the snooze: an ISO 8601 date or date with time; UTC without an offset. @example "2026-03-08T08:00:00Z" */
  @IsInstant until: string;

  /** Begin of the snooze, in the same form. Absent or `null`: it is active already. @example "2026-03-01T18:00:00Z" */
  @Optional(IsInstant) start?: string | null;
}

/** A preference of the older map form. */
export class PreferenceDetails {
  /** The choice: messages are wanted (`OPTED_IN`) or not (`OPTED_OUT`). `REQUIRED` counts as `OPTED_IN` here. @example "OPTED_OUT" */
  @TopicStatus status: PreferenceStatus;

  /** The only channels to use. Absent, `null` or empty: any channel. */
  @OptionalListOf(ChannelPreference, 20)
  channel_preferences?: ChannelPreference[] | null;

  /** Times in which messages are dropped, unless they are `REQUIRED`. */
  @OptionalListOf(PreferenceRule, 20)
  rules?: PreferenceRule[] | null;
}

/** By id; the service that stores a map checks each value. */
export type PreferenceMap = Record<string, PreferenceDetails>;

/** Preferences in the older map form, of a recipient, a list or a subscription: by id or alias of a notification, and by topic or category id. */
export class RecipientPreferences {
  /**
   * Preferences by the id of a notification template; each value has `status`, and may have `channel_preferences` and `rules`.
   * @example { "nt_3Xo0aB1dQkS9fT2uVw5z": { "status": "OPTED_OUT" } }
   */
  @OptionalObject
  notifications?: PreferenceMap | null;

  /**
   * Preferences by the id of a topic or of a section; each value has `status`, and may have `channel_preferences` and `rules`.
   * @example { "tpc_7Hd2kQm3xYb5nVwZ4cRt": { "status": "OPTED_OUT" } }
   */
  @OptionalObject
  categories?: PreferenceMap | null;
}

export const OptionalPreferences = OptionalNested(RecipientPreferences);

/** The templates that preferences in the map form name. */
export function templatesIn(preferences: RecipientPreferences | null | undefined): string[] {
  return Object.keys(preferences?.notifications ?? {});
}

/** Clients send `source` here, and `templateId` beside the maps; both have no effect. */
const PREFERENCE: KnownFields = { fields: new Map([...declaredFields(PreferenceDetails).fields, ['source', null] as const]) };

/** The known fields of the two maps. */
export const PREFERENCE_MAP_FIELDS = { notifications: fieldsOfEach(PREFERENCE), categories: fieldsOfEach(PREFERENCE) };
/** The known fields of preferences in the map form. */
export const PREFERENCE_FIELDS = namedFields('notifications categories templateId', PREFERENCE_MAP_FIELDS);

/** The channels of a preference; they count only with `has_custom_routing`. */
export interface CustomRouting {
  custom_routing?: ChannelClass[] | null;
  has_custom_routing?: boolean | null;
}

/** A choice of channels as a client sends it. */
export class ChosenChannels {
  @OptionalChannels custom_routing?: string[] | null;

  /** Whether `custom_routing` counts. Default: whether it names a channel. @example true */
  @OptionalFlag
  has_custom_routing?: boolean | null;
}
