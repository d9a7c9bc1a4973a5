import { buildOf } from './compiled-class';
import { isJsonObject } from './deep-merge';
import { PreferenceDetails, RECIPIENT_PREFERENCES_BYTES_MAX, type RecipientPreferences } from './preferences';
import { keyPath, storableObject } from './text';
import { mustBe, violationsOf } from './violations';
import { invalid } from './refusals';

/** The two maps of preferences in the map form. */
const PREFERENCE_MAPS = ['notifications', 'categories'] as const;

/**
 * Preferences in the map form as the JSON text to store, unchanged, each entry checked. `path` names them in errors.
 * @throws ServiceError `invalid_request` naming the invalid entry, or a size that is too large.
 */
export function storablePreferenceMaps(path: string, preferences: RecipientPreferences): string {
  const text = storableObject(path, preferences, RECIPIENT_PREFERENCES_BYTES_MAX); // first: the check of entries needs a bounded object
  for (const map of PREFERENCE_MAPS) {
    for (const [id, details] of Object.entries(preferences[map] ?? {})) checkedPreferenceDetails(keyPath(`${path}.${map}`, id), details);
  }
  return text;
}

/** One entry of a map, checked; unknown fields are dropped. @throws ServiceError `invalid_request` beginning with `path`. */
export function checkedPreferenceDetails(path: string, details: unknown): PreferenceDetails {
  if (!isJsonObject(details)) throw invalid(mustBe('an object', path, details));
  const checked = buildOf(PreferenceDetails)(details, 0);
  if (!checked) throw invalid(`${path}: ${violationsOf(PreferenceDetails, details).join('; ')}`);
  return checked as PreferenceDetails;
}
