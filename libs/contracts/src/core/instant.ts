import { daysOfMonth } from './days-of-month';
import { CheckedBy } from './fields';

const ISO_8601 = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** The range that PostgreSQL, JavaScript and people interpret alike. */
const INSTANT_MIN = Date.UTC(1970, 0, 1);
const INSTANT_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The instant of a client's text: an ISO 8601 date (its beginning) or date with time, in UTC unless it has an offset.
 * Undefined for any other value, and for instants before 1970 or after 9999.
 */
export function readInstant(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const [, year, month, day, time = '00:00', zone = 'Z'] = ISO_8601.exec(value.trim()) ?? [];
  if (day === undefined || Number(day) > daysOfMonth(Number(year), Number(month))) return undefined;
  const instant = Date.parse(`${year}-${month}-${day}T${time}${zone.toUpperCase().replace(/(\d{2})(\d{2})$/, '$1:$2')}`);
  return isInstant(instant) ? new Date(instant) : undefined;
}

/** Whether an instant, in ms since the epoch, is within the range of `readInstant`. */
export function isInstant(ms: number): boolean {
  return ms >= INSTANT_MIN && ms <= INSTANT_MAX;
}

/**
 * Whether a text that `readInstant` accepts has a time but no offset: wall time, a different instant in each zone. `readInstant` reads
 * it as UTC.
 */
export function isWallTime(text: string): boolean {
  const [, , , , time, zone] = ISO_8601.exec(text.trim()) ?? [];
  return time !== undefined && zone === undefined;
}

/** The value is a text that `readInstant` accepts. */
export const IsInstant = CheckedBy(
  'isInstant',
  (value) => readInstant(value) !== undefined,
  'must be an ISO 8601 date or date with time between 1970 and 9999',
);
