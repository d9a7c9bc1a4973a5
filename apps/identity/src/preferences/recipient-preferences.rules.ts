import { type PreferenceDetails, RECIPIENT_PREFERENCES_BYTES_MAX } from '@tidings/contracts/core/preferences';
import { checkedPreferenceDetails, PREFERENCE_MAPS } from '@tidings/contracts/core/preference-maps';
import { invalid } from '@tidings/contracts/core/refusals';
import { keyPath, storableObject } from '@tidings/contracts/core/text';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { StoredRecipientPreferences } from '@tidings/contracts/identity/recipient-preferences';
import { mustBe } from '@tidings/contracts/core/violations';

/**
 * A recipient's preferences in the map form, as they are stored: both maps, each entry checked. Unknown fields
 * are dropped.
 * @throws ServiceError `invalid_request` naming the entry that is wrong, or the size that is too large.
 */
export function storablePreferences(recipientId: string, preferences: unknown): StoredRecipientPreferences {
  const name = `The preferences of ${recipientId}`;
  storableObject(name, preferences, RECIPIENT_PREFERENCES_BYTES_MAX); // before any field is read
  const given = preferences as Record<string, unknown>;
  const stored: StoredRecipientPreferences = { notifications: {}, categories: {} };
  for (const map of PREFERENCE_MAPS) stored[map] = checkedMap(map, given[map] ?? {});
  storableObject(name, stored, RECIPIENT_PREFERENCES_BYTES_MAX);
  return stored;
}

function checkedMap(name: string, map: unknown): Record<string, PreferenceDetails> {
  if (!isJsonObject(map)) throw invalid(mustBe('an object', name, map));
  return Object.fromEntries(Object.entries(map).map(([id, details]) => [id, checkedPreferenceDetails(keyPath(name, id), details)]));
}
