import { IsIn } from 'class-validator';
import { AnyObject, IsListOf, MaybeNested, OptionalObject, Text } from '../core/fields';
import { defineOperations, Nothing } from '../core/operation';
import type { PreferenceMap } from '../core/preferences';
import { JsonPatch, type PatchOperation, ProfileWritten, UserId } from './profiles';

/** `OPT_OUT`: people get messages until they opt out. `OPT_IN`: only after they opt in. `REQUIRED`: no opt-out. */
const CATEGORY_TYPES = ['OPT_IN', 'OPT_OUT', 'REQUIRED'] as const;
export type CategoryType = (typeof CATEGORY_TYPES)[number];

class CategoryConfig {
  @IsIn(CATEGORY_TYPES) type: CategoryType;
}

class CatalogueEntry {
  @Text id: string;

  @Text title: string;

  @MaybeNested(CategoryConfig) config: CategoryConfig;
}

class CatalogueCategory extends CatalogueEntry {
  @IsListOf(CatalogueEntry) notifications: CatalogueEntry[];
}

/** The topics that people can have preferences for, as categories. */
class PreferenceCatalogue {
  @IsListOf(CatalogueEntry) uncategorized: CatalogueEntry[];

  @IsListOf(CatalogueCategory) categories: CatalogueCategory[];
}

export class NamedRecipient {
  @UserId recipient_id: string;
}

export class WriteRecipientPreferences extends NamedRecipient {
  /** By notification id. Each value is a `PreferenceDetails`. */
  @OptionalObject notifications?: PreferenceMap | null;

  /** By topic or category id. Each value is a `PreferenceDetails`. */
  @OptionalObject categories?: PreferenceMap | null;
}

export class PatchRecipientPreferences extends NamedRecipient {
  @JsonPatch patch: PatchOperation[];
}

/** A recipient's preferences in the map form; both maps are empty if none are stored. */
export class StoredRecipientPreferences {
  @AnyObject notifications: PreferenceMap;

  @AnyObject categories: PreferenceMap;
}

export const recipientPreferences = defineOperations(
  'identity.recipient-preferences',
  'preferences',
  {
    /** Contains no user data, so that user-bound scopes of issued tokens do not apply. */
    catalogue: {
      route: 'GET /preferences',
      scope: 'read:preference-sections',
      summary: 'List topics in the older form',
      request: Nothing,
      response: PreferenceCatalogue,
    },
    retrieve: {
      route: 'GET /preferences/:recipient_id',
      ofUser: 'recipient_id',
      summary: 'Get the preferences of a recipient in the older form',
      request: NamedRecipient,
      response: StoredRecipientPreferences,
    },
    replace: {
      command: true,
      route: 'PUT /preferences/:recipient_id',
      ofUser: 'recipient_id',
      summary: 'Replace the preferences of a recipient in the older form',
      request: WriteRecipientPreferences,
      response: ProfileWritten,
    },
    patch: {
      command: true,
      route: 'PATCH /preferences/:recipient_id',
      ofUser: 'recipient_id',
      summary: 'Apply a JSON Patch to the preferences of a recipient in the older form',
      request: PatchRecipientPreferences,
      response: ProfileWritten,
    },
  },
  { generation: 'legacy' },
);
