import { ValidateBy } from 'class-validator';
import { readInstant } from '../core/instant';

/**
 * When a push token expires: what `readInstant` understands; `false`, or the text of it, for never. Undefined for anything else,
 * `true` included.
 */
export function readExpiryDate(value: unknown): Date | false | undefined {
  return value === false || value === 'false' ? false : readInstant(value);
}

/** What `readExpiryDate` understands. */
export function IsExpiryDate(): PropertyDecorator {
  return ValidateBy({
    name: 'isExpiryDate',
    validator: {
      validate: (value) => readExpiryDate(value) !== undefined,
      defaultMessage: () => '$property must be an ISO 8601 date or date with time between 1970 and 9999, or false for never',
    },
  });
}
