import { ServiceError } from '@tidings/contracts/core/errors';
import { PreferenceDetails, RECIPIENT_PREFERENCES_BYTES_MAX } from '@tidings/contracts/core/preferences';
import { keyPath } from '@tidings/contracts/core/text';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { StoredRecipientPreferences } from '@tidings/contracts/identity/recipient-preferences';
import { validate } from '@tidings/contracts/core/validator';
import { mustBe } from '@tidings/contracts/core/violations';
import { storableObject } from '../json/storable-object';

const MAPS = ['notifications', 'categories'] as const;

/**
 * A recipient's preferences in the map form, as the JSON text to store: both maps, each entry checked. Fields that are
 * nobody's are dropped.
 * @throws ServiceError `invalid_request` naming the entry that is wrong, or the size that is too large.
 */
export function storablePreferences(recipientId: string, preferences: unknown): string {
  const name = `The preferences of ${recipientId}`;
  storableObject(name, preferences, RECIPIENT_PREFERENCES_BYTES_MAX); // before anything looks into it
  const given = preferences as Record<string, unknown>;
  const stored: StoredRecipientPreferences = { notifications: {}, categories: {} };
  for (const map of MAPS) stored[map] = checkedMap(map, given[map] ?? {});
  return storableObject(name, stored, RECIPIENT_PREFERENCES_BYTES_MAX);
}

function checkedMap(name: string, map: unknown): Record<string, PreferenceDetails> {
  assertObject(name, map);
  return Object.fromEntries(Object.entries(map).map(([id, details]) => [id, checkedDetails(keyPath(name, id), details)]));
}

function checkedDetails(path: string, details: unknown): PreferenceDetails {
  assertObject(path, details);
  try {
    return validate(PreferenceDetails, details);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, `${path}: ${error.message}`);
  }
}

function assertObject(path: string, value: unknown): asserts value is Record<string, unknown> {
  if (!isJsonObject(value)) throw new ServiceError('invalid_request', mustBe('an object', path, value));
}
