import { CompileCache } from '../compile-cache';
import { offsetMinutes } from './instants';

const formatters = new CompileCache<Intl.DateTimeFormat>(200, 20_000);

const DIRECTIVE = /%(-?)([a-zA-Z%])/g;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Formats a time by a strftime `pattern` (`%A %B %d %Y %H:%M %Z` …; `%-d` without leading zero) in `zone`, an IANA name or an
 * offset such as `+02:00`. Names of days and months are in `locale`. Unknown directives stay unchanged. `onMake` is called
 * before an expensive formatter is created and cached. Throws an `Error` for an unknown zone or locale.
 */
export function formatInstant(ms: number, pattern: string, zone: string, locale: string, onMake: () => void): string {
  const zoneText = (timeZoneName: 'longOffset' | 'short') => {
    if (zone === 'UTC') return zone;
    const parts = formatter('en-US', { timeZone: zone, timeZoneName }, onMake).formatToParts(ms);
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
  };
  const fixed = offsetMinutes(zone);
  const offset = fixed ?? offsetMinutes(zoneText('longOffset')) ?? 0;
  const zoneName = fixed === undefined ? zoneText('short') : formatOffset(offset, ':');
  // The UTC fields of this time are those of the zone.
  const at = new Date(ms + offset * MINUTE_MS);
  const values: Readonly<Record<string, string>> = {
    ...fieldsOf(at),
    s: String(Math.floor(ms / 1000)),
    z: formatOffset(offset, ''),
    Z: zoneName,
  };
  const directive = (letter: string) => {
    const name = NAMES[letter];
    return name ? formatter(locale, { ...name, timeZone: 'UTC' }, onMake).format(at) : values[letter];
  };
  return pattern.replace(DIRECTIVE, (found, flag: string, letter: string) => {
    const text = COMPOSED[letter]?.replace(DIRECTIVE, (_, _flag, inner: string) => directive(inner) ?? '') ?? directive(letter);
    if (text === undefined) return found;
    return flag ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}

/** The names in a locale. */
const NAMES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  a: { weekday: 'short' },
  A: { weekday: 'long' },
  b: { month: 'short' },
  B: { month: 'long' },
};

/** The directives of the UTC fields of a time, except names. */
function fieldsOf(at: Date) {
  const year = at.getUTCFullYear();
  const hour = at.getUTCHours();
  const day = at.getUTCDate();
  const hourOf12 = hour % 12 || 12;
  return {
    d: pad(day),
    e: pad(day, 2, ' '),
    H: pad(hour),
    k: pad(hour, 2, ' '),
    I: pad(hourOf12),
    l: pad(hourOf12, 2, ' '),
    j: pad(Math.floor((at.getTime() - Date.UTC(year, 0)) / DAY_MS) + 1, 3),
    m: pad(at.getUTCMonth() + 1),
    M: pad(at.getUTCMinutes()),
    p: hour < 12 ? 'AM' : 'PM',
    P: hour < 12 ? 'am' : 'pm',
    S: pad(at.getUTCSeconds()),
    L: pad(at.getUTCMilliseconds(), 3),
    u: String(at.getUTCDay() || 7),
    w: String(at.getUTCDay()),
    y: pad(year % 100),
    Y: String(year),
    '%': '%',
  };
}

/** Directives that are short for others. */
const COMPOSED: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  f: '%L000',
  F: '%Y-%m-%d',
  h: '%b',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  T: '%H:%M:%S',
  x: '%m/%d/%Y',
  X: '%H:%M:%S',
};

function formatter(locale: string, options: Intl.DateTimeFormatOptions, onMake: () => void) {
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

function formatOffset(minutes: number, separator: string) {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}${separator}${pad(size % 60)}`;
}

function pad(number: number, width = 2, filler = '0') {
  return String(number).padStart(width, filler);
}
