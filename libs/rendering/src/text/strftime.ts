import { LruCache } from '../lru-cache';
import { offsetMinutes } from './instants';

const FORMATTERS_CACHED = 200;
const formatters = new LruCache<Intl.DateTimeFormat>(FORMATTERS_CACHED, 100 * FORMATTERS_CACHED);

/** The date on the wall of a zone: fields read in UTC of an instant moved by the zone's offset. */
interface WallDate {
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
 * A time as strftime's `pattern` says (`%A %B %d %Y %H:%M %Z` …; `%-d` without leading zero), on the wall of `zone`: an IANA
 * name or an offset such as `+02:00`. Names of days and months are `locale`'s. Unknown directives stay as they are.
 * `onMake` is called before something dear is made that later calls share. Throws an `Error` for a zone or a locale that is none.
 */
export function formatInstant(ms: number, pattern: string, zone: string, locale: string, onMake: () => void): string {
  const fixed = offsetMinutes(zone);
  const offset = fixed ?? zoneOffset(ms, zone, onMake);
  const wall: WallDate = {
    at: new Date(ms + offset * MINUTE_MS),
    offsetMinutes: offset,
    zoneName: fixed === undefined ? shortZone(ms, zone, onMake) : formatOffset(offset, ':'),
    locale,
    ms,
    onMake,
  };
  return pattern.replace(DIRECTIVE, (found, flag: string, letter: string) => {
    const text = directive(letter, wall);
    if (text === undefined) return found;
    return flag ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}

function directive(letter: string, wall: WallDate): string | undefined {
  const { at } = wall;
  switch (letter) {
    case 'a':
      return name(wall, { weekday: 'short' });
    case 'A':
      return name(wall, { weekday: 'long' });
    case 'b':
    case 'h':
      return name(wall, { month: 'short' });
    case 'B':
      return name(wall, { month: 'long' });
    case 'd':
      return pad(at.getUTCDate());
    case 'e':
      return pad(at.getUTCDate(), 2, ' ');
    case 'H':
      return pad(at.getUTCHours());
    case 'k':
      return pad(at.getUTCHours(), 2, ' ');
    case 'I':
      return pad(at.getUTCHours() % 12 || 12);
    case 'l':
      return pad(at.getUTCHours() % 12 || 12, 2, ' ');
    case 'j':
      return pad(Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0)) / DAY_MS) + 1, 3);
    case 'm':
      return pad(at.getUTCMonth() + 1);
    case 'M':
      return pad(at.getUTCMinutes());
    case 'p':
      return at.getUTCHours() < 12 ? 'AM' : 'PM';
    case 'P':
      return at.getUTCHours() < 12 ? 'am' : 'pm';
    case 'S':
      return pad(at.getUTCSeconds());
    case 'L':
      return pad(at.getUTCMilliseconds(), 3);
    case 'f':
      return `${pad(at.getUTCMilliseconds(), 3)}000`;
    case 's':
      return String(Math.floor(wall.ms / 1000));
    case 'u':
      return String(at.getUTCDay() || 7);
    case 'w':
      return String(at.getUTCDay());
    case 'y':
      return pad(at.getUTCFullYear() % 100);
    case 'Y':
      return String(at.getUTCFullYear());
    case 'z':
      return formatOffset(wall.offsetMinutes, '');
    case 'Z':
      return wall.zoneName;
    case '%':
      return '%';
    default:
      return COMPOSED[letter]?.replace(DIRECTIVE, (_, _flag, inner: string) => directive(inner, wall) ?? '');
  }
}

/** Directives that are short for others. */
const COMPOSED: Record<string, string | undefined> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  T: '%H:%M:%S',
  x: '%m/%d/%Y',
  X: '%H:%M:%S',
};

function name({ at, locale, onMake }: WallDate, options: Intl.DateTimeFormatOptions): string {
  return formatter(locale, { ...options, timeZone: 'UTC' }, onMake).format(at);
}

function zoneOffset(ms: number, zone: string, onMake: () => void): number {
  if (zone === 'UTC') return 0;
  const parts = formatter('en-US', { timeZone: zone, timeZoneName: 'longOffset' }, onMake).formatToParts(ms);
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  return offsetMinutes(text) ?? 0;
}

function shortZone(ms: number, zone: string, onMake: () => void): string {
  if (zone === 'UTC') return 'UTC';
  const parts = formatter('en-US', { timeZone: zone, timeZoneName: 'short' }, onMake).formatToParts(ms);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

function formatter(locale: string, options: Intl.DateTimeFormatOptions, onMake: () => void): Intl.DateTimeFormat {
  const key = `${locale.slice(0, 50)} ${JSON.stringify(options)}`;
  return formatters.get(key, () => {
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
