import { CompileCache } from '../compile-cache';
import { offsetMinutes } from './instants';

const FORMATTERS_CACHED = 200;
const formatters = new CompileCache<Intl.DateTimeFormat>(FORMATTERS_CACHED, 100 * FORMATTERS_CACHED);

/** Local time of a zone: the UTC fields of an instant shifted by the zone's offset. */
interface LocalTime {
  readonly at: Date;
  readonly offsetMinutes: number;
  readonly zoneName: string;
  readonly locale: string;
  readonly ms: number;
  readonly onMake: () => void;
}

const DIRECTIVE = /%(-?)([a-zA-Z%])/g;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Formats a time by a strftime `pattern` (`%A %B %d %Y %H:%M %Z` …; `%-d` without leading zero) in `zone`, an IANA name or an
 * offset such as `+02:00`. Names of days and months are in `locale`. Unknown directives stay unchanged. `onMake` is called
 * before an expensive formatter is created and cached. Throws an `Error` for an unknown zone or locale.
 */
export function formatInstant(ms: number, pattern: string, zone: string, locale: string, onMake: () => void): string {
  const fixed = offsetMinutes(zone);
  const offset = fixed ?? zoneOffset(ms, zone, onMake);
  const local: LocalTime = {
    at: new Date(ms + offset * MINUTE_MS),
    offsetMinutes: offset,
    zoneName: fixed === undefined ? shortZone(ms, zone, onMake) : formatOffset(offset, ':'),
    locale,
    ms,
    onMake,
  };
  return pattern.replace(DIRECTIVE, (found, flag: string, letter: string) => {
    const text = directive(letter, local);
    if (text === undefined) return found;
    return flag ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}

function directive(letter: string, local: LocalTime): string | undefined {
  const composed = COMPOSED.get(letter);
  if (composed !== undefined) return composed.replace(DIRECTIVE, (_, _flag, inner: string) => directive(inner, local) ?? '');
  return DIRECTIVES.get(letter)?.(local);
}

const DIRECTIVES = new Map<string, (local: LocalTime) => string>([
  ['a', (local) => name(local, { weekday: 'short' })],
  ['A', (local) => name(local, { weekday: 'long' })],
  ['b', (local) => name(local, { month: 'short' })],
  ['B', (local) => name(local, { month: 'long' })],
  ['d', ({ at }) => pad(at.getUTCDate())],
  ['e', ({ at }) => pad(at.getUTCDate(), 2, ' ')],
  ['H', ({ at }) => pad(at.getUTCHours())],
  ['k', ({ at }) => pad(at.getUTCHours(), 2, ' ')],
  ['I', ({ at }) => pad(at.getUTCHours() % 12 || 12)],
  ['l', ({ at }) => pad(at.getUTCHours() % 12 || 12, 2, ' ')],
  ['j', ({ at }) => pad(Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0)) / DAY_MS) + 1, 3)],
  ['m', ({ at }) => pad(at.getUTCMonth() + 1)],
  ['M', ({ at }) => pad(at.getUTCMinutes())],
  ['p', ({ at }) => (at.getUTCHours() < 12 ? 'AM' : 'PM')],
  ['P', ({ at }) => (at.getUTCHours() < 12 ? 'am' : 'pm')],
  ['S', ({ at }) => pad(at.getUTCSeconds())],
  ['L', ({ at }) => pad(at.getUTCMilliseconds(), 3)],
  ['s', ({ ms }) => String(Math.floor(ms / 1000))],
  ['u', ({ at }) => String(at.getUTCDay() || 7)],
  ['w', ({ at }) => String(at.getUTCDay())],
  ['y', ({ at }) => pad(at.getUTCFullYear() % 100)],
  ['Y', ({ at }) => String(at.getUTCFullYear())],
  ['z', ({ offsetMinutes }) => formatOffset(offsetMinutes, '')],
  ['Z', ({ zoneName }) => zoneName],
  ['%', () => '%'],
]);

/** Directives that are short for others. */
const COMPOSED = new Map([
  ['c', '%a %b %e %H:%M:%S %Y'],
  ['D', '%m/%d/%y'],
  ['f', '%L000'],
  ['F', '%Y-%m-%d'],
  ['h', '%b'],
  ['R', '%H:%M'],
  ['r', '%I:%M:%S %p'],
  ['T', '%H:%M:%S'],
  ['x', '%m/%d/%Y'],
  ['X', '%H:%M:%S'],
]);

function name({ at, locale, onMake }: LocalTime, options: Intl.DateTimeFormatOptions): string {
  return formatter(locale, { ...options, timeZone: 'UTC' }, onMake).format(at);
}

function zoneText(ms: number, zone: string, timeZoneName: 'longOffset' | 'short', onMake: () => void): string | undefined {
  const parts = formatter('en-US', { timeZone: zone, timeZoneName }, onMake).formatToParts(ms);
  return parts.find(({ type }) => type === 'timeZoneName')?.value;
}

function zoneOffset(ms: number, zone: string, onMake: () => void): number {
  return zone === 'UTC' ? 0 : (offsetMinutes(zoneText(ms, zone, 'longOffset', onMake) ?? 'GMT') ?? 0);
}

function shortZone(ms: number, zone: string, onMake: () => void): string {
  return zone === 'UTC' ? 'UTC' : (zoneText(ms, zone, 'short', onMake) ?? zone);
}

function formatter(locale: string, options: Intl.DateTimeFormatOptions, onMake: () => void): Intl.DateTimeFormat {
  const key = `${locale.slice(0, 50)} ${JSON.stringify(options)}`;
  return formatters.getOrMake(key, () => {
    onMake();
    try {
      return new Intl.DateTimeFormat(locale.replaceAll('_', '-'), options);
    } catch {
      throw new Error(
        `knows no zone ${JSON.stringify((options.timeZone ?? '').slice(0, 100))} or locale ${JSON.stringify(locale.slice(0, 100))}`,
      );
    }
  });
}

function formatOffset(minutes: number, separator: string): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}${separator}${pad(size % 60)}`;
}

function pad(number: number, width = 2, filler = '0'): string {
  return String(number).padStart(width, filler);
}
