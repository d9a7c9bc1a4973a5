import { CheckedBy } from '../core/fields';
import { readInstant } from '../core/instant';

/**
 * The expiry of a push token: a value that `readInstant` accepts; `false` or `'false'` for never. Undefined for any other value,
 * `true` included.
 */
export function readExpiryDate(value: unknown): Date | false | undefined {
  return value === false || value === 'false' ? false : readInstant(value);
}

/** The value is one that `readExpiryDate` accepts. */
export const IsExpiryDate = CheckedBy(
  'isExpiryDate',
  (value) => readExpiryDate(value) !== undefined,
  'must be an ISO 8601 date or date with time between 1970 and 9999, or false for never',
);
