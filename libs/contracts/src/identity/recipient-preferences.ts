import { IsIn } from 'class-validator';
import { AnyObject, IsListOf, MaybeNested, OptionalObject, Text } from '../core/fields';
import { declaredFields } from '../core/known-fields';
import { defineOperations, Nothing } from '../core/operation';
import { PREFERENCE_MAP_FIELDS, type PreferenceMap, type RecipientPreferences, templatesIn } from '../core/preferences';
import { JsonPatch, type PatchOperation, ProfileWritten, UserId } from './profiles';

/** `OPT_OUT`: people get messages until they opt out. `OPT_IN`: only after they opt in. `REQUIRED`: no opt-out. */
const CATEGORY_TYPES = ['OPT_IN', 'OPT_OUT', 'REQUIRED'] as const;
export type CategoryType = (typeof CATEGORY_TYPES)[number];

class CategoryConfig {
  /**
   * `OPT_OUT`: users get messages until they opt out. `OPT_IN`: only after they opt in. `REQUIRED`: they cannot opt out.
   * @example "OPT_OUT"
   */
  @IsIn(CATEGORY_TYPES) type: CategoryType;
}

class CatalogueEntry {
  /** Id of the topic. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text id: string;

  /** Name of the topic for people. @example "Releases" */
  @Text title: string;

  /** Whether users get messages of the topic by default. */
  @MaybeNested(CategoryConfig) config: CategoryConfig;
}

class CatalogueCategory extends CatalogueEntry {
  /** Always empty: topics list no notifications. @example [] */
  @IsListOf(CatalogueEntry) notifications: CatalogueEntry[];
}

/** The topics that people can have preferences for, as categories. */
class PreferenceCatalogue {
  /** Always empty: every topic is a category. @example [] */
  @IsListOf(CatalogueEntry) uncategorized: CatalogueEntry[];

  /** The topics of the workspace. */
  @IsListOf(CatalogueCategory) categories: CatalogueCategory[];
}

export class NamedRecipient {
  @UserId recipient_id: string;
}

export class WriteRecipientPreferences extends NamedRecipient {
  /**
   * Preferences by the id or alias of a notification template; each value has `status`, and may have `channel_preferences` and `rules`. Absent or `null`: none.
   * @example { "nt_3Xo0aB1dQkS9fT2uVw5z": { "status": "OPTED_OUT" } }
   */
  @OptionalObject notifications?: PreferenceMap | null;

  /**
   * Preferences by the id of a topic or of a section; each value has `status`, and may have `channel_preferences` and `rules`. Absent or `null`: none.
   * @example { "tpc_7Hd2kQm3xYb5nVwZ4cRt": { "status": "OPTED_OUT" } }
   */
  @OptionalObject categories?: PreferenceMap | null;
}

export class PatchRecipientPreferences extends NamedRecipient {
  @JsonPatch patch: PatchOperation[];
}

/** A recipient's preferences in the map form; both maps are empty if none are stored. */
export class StoredRecipientPreferences {
  /**
   * Preferences by the id of a notification template; each value has `status`, and may have `channel_preferences` and `rules`.
   * @example { "nt_3Xo0aB1dQkS9fT2uVw5z": { "status": "OPTED_OUT" } }
   */
  @AnyObject notifications: PreferenceMap;

  /** Preferences by the id of a topic or of a section; each value has `status`, and may have `channel_preferences` and `rules`. @example {} */
  @AnyObject categories: PreferenceMap;
}

/** The templates that a step adds entries for, or whose entries it changes. */
function templatesOfStep({ op, path, value }: PatchOperation): string[] {
  if (op === 'remove' || op === 'test') return [];
  const [, map, name] = path.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (map === undefined) return templatesIn(value as RecipientPreferences | undefined);
  if (map !== 'notifications') return [];
  return name === undefined ? templatesIn({ notifications: value as PreferenceMap | undefined }) : [name];
}

export const recipientPreferences = defineOperations(
  'identity.recipient-preferences',
  'preferences',
  {
    /** The topics of the workspace as categories, for older clients. It contains no data of users. */
    catalogue: {
      route: 'GET /preferences',
      scope: 'read:preference-sections',
      summary: 'List topics in the older form',
      request: Nothing,
      response: PreferenceCatalogue,
    },
    /** Both maps are empty if none are stored. Choices made by `/users/:user_id/preferences` are not included. */
    retrieve: {
      route: 'GET /preferences/:recipient_id',
      ofUser: 'recipient_id',
      summary: 'Get the preferences of a recipient in the older form',
      request: NamedRecipient,
      response: StoredRecipientPreferences,
    },
    /**
     * Replaces both maps, at most 256 KB as JSON together. They count in every context, beside the choices by topic.
     * @example { "notifications": { "nt_3Xo0aB1dQkS9fT2uVw5z": { "status": "OPTED_OUT" } } }
     */
    replace: {
      audit: 'user:preferences-changed',
      command: true,
      route: 'PUT /preferences/:recipient_id',
      ofUser: 'recipient_id',
      summary: 'Replace the preferences of a recipient in the older form',
      request: WriteRecipientPreferences,
      templateNames: templatesIn,
      knownFields: declaredFields(WriteRecipientPreferences, PREFERENCE_MAP_FIELDS),
      response: ProfileWritten,
    },
    /**
     * Applies all steps, or none, to the two maps.
     * @example { "patch": [{ "op": "add", "path": "/notifications/nt_3Xo0aB1dQkS9fT2uVw5z", "value": { "status": "OPTED_OUT" } }] }
     */
    patch: {
      audit: 'user:preferences-changed',
      command: true,
      route: 'PATCH /preferences/:recipient_id',
      ofUser: 'recipient_id',
      summary: 'Apply a JSON Patch to the preferences of a recipient in the older form',
      request: PatchRecipientPreferences,
      templateNames: ({ patch }: PatchRecipientPreferences) => patch.flatMap(templatesOfStep),
      response: ProfileWritten,
    },
  },
  { generation: 'legacy' },
);
