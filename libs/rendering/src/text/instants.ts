import { daysOfMonth } from '@tidings/contracts/core/days-of-month';

/** A time with the zone of its text (`UTC` by default). */
interface Instant {
  readonly ms: number;
  readonly zone: string;
}

const ISO = /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/i;
/** Range of a JavaScript date. */
const MS_MAX = 8.64e15;

/** Milliseconds since 1970 or ISO 8601 (a time without zone is UTC); undefined for any other value. */
export function readInstant(value: unknown): Instant | undefined {
  if (typeof value === 'number') return Math.abs(value) <= MS_MAX ? { ms: Math.trunc(value), zone: 'UTC' } : undefined;
  if (typeof value !== 'string' || value.length > 40) return undefined;
  if (/^-?\d{6,16}$/.test(value)) return readInstant(Number(value));
  const found = ISO.exec(value.trim());
  if (!found) return undefined;
  const [, year, month, day = 1] = found;
  if (Number(day) > daysOfMonth(Number(year), Number(month))) return undefined;
  const offset = found[4]?.toUpperCase();
  const zone = offset === undefined || offset === 'Z' ? 'UTC' : normalOffset(offset);
  const local = value.trim().replace(/\s?(?:Z|[+-]\d{2}(?::?\d{2})?)$/i, (end) => (value.includes(':') ? '' : end));
  const ms = Date.parse(local.includes(':') ? `${local.replace(/ /, 'T').replace(',', '.')}${zone === 'UTC' ? 'Z' : zone}` : local);
  return Number.isNaN(ms) ? undefined : { ms, zone };
}

function normalOffset(offset: string) {
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
}

/** Minutes east of UTC of `+02:00`, `UTC+4`, `GMT-0330`; undefined for names of zones. */
export function offsetMinutes(zone: string): number | undefined {
  const found = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(zone);
  if (!found) return undefined;
  const minutes = Number(found[2]) * 60 + Number(found[3] ?? 0);
  return found[1] === '-' ? -minutes : minutes;
}
