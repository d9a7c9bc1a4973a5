import { ValidateBy } from 'class-validator';
import { daysOfMonth } from './days-of-month';

const ISO_8601 = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** What PostgreSQL, JavaScript and people all read the same way. */
const INSTANT_MIN = Date.UTC(1970, 0, 1);
const INSTANT_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The moment that a client's text names: an ISO 8601 date (its beginning) or date with time, in UTC where no offset is given.
 * Undefined for anything else, and for what lies before 1970 or after 9999.
 */
export function readInstant(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const [, year, month, day, time = '00:00', zone = 'Z'] = ISO_8601.exec(value.trim()) ?? [];
  if (day === undefined || Number(day) > daysOfMonth(Number(year), Number(month))) return undefined;
  const instant = Date.parse(`${year}-${month}-${day}T${time}${zone.toUpperCase().replace(/(\d{2})(\d{2})$/, '$1:$2')}`);
  return instant >= INSTANT_MIN && instant <= INSTANT_MAX ? new Date(instant) : undefined;
}

/**
 * Whether a text that `readInstant` understands has a time but no offset: what clocks show, which is another moment in each zone. Its
 * moment by `readInstant` is the one at which clocks in UTC show it.
 */
export function isWallTime(text: string): boolean {
  const [, , , , time, zone] = ISO_8601.exec(text.trim()) ?? [];
  return time !== undefined && zone === undefined;
}

/** What `readInstant` understands: whoever evaluates the text later can read it. */
export function IsInstant(): PropertyDecorator {
  return ValidateBy({
    name: 'isInstant',
    validator: {
      validate: (value) => readInstant(value) !== undefined,
      defaultMessage: () => '$property must be an ISO 8601 date or date with time between 1970 and 9999',
    },
  });
}
