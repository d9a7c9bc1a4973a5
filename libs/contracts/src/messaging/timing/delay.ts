import { DAY_MS, MINUTE_MS } from '../../core/duration';
import { ServiceError } from '../../core/errors';
import { isWallTime, readInstant } from '../../core/instant';
import { assertObject, invalid, invalidValue, isGiven, shown } from '../../core/refusals';
import { nextOpening, OPENING_DAYS_MAX } from './opening-hours';
import { parseOpeningHours } from './parse-opening-hours';
import { memoize } from './memoize';
import { instantShown, isZone, zoneOf, type ZoneSources } from './zone-clock';

/** The longest delay and the latest instant: covers the same date of the next year, also in leap years. */
export const DELAY_MS_MAX = 366 * DAY_MS;
/** Cached parsed windows: concurrent sends name few. */
const WINDOWS_MAX = 256;
/** The beginning of a date; opening hours never begin like this. */
const LIKE_A_YEAR = /^\s*[+-]?\d{4}/;

/**
 * When to send a message: whole minutes after its acceptance (`durationMs`); at an instant (`untilMs`); at a wall time in the
 * recipient's zone (`shownMs`: written as if it were UTC; `untilMs` has the same value, for processes of versions without `shownMs`);
 * or at the next opening of a window (`parseOpeningHours`) in the recipient's zone, or in `timezone` if the send names one.
 */
export type Delay =
  { durationMs: number } | { untilMs: number } | { shownMs: number; untilMs: number } | { window: string; timezone?: string };

/**
 * Parses the delay of a send: `{ duration }` in ms, rounded up to whole minutes, or `{ until, timezone }`: an ISO 8601 date (its
 * beginning in UTC) or date with time, or opening hours. A time without an offset is wall time in `timezone`. `null` equals absent;
 * one of `duration` and `until` is required.
 * @param where the field, for errors.
 * @param nowMs start of the year within which instants must be. Instants in the past are accepted: they are due.
 * @throws ServiceError `invalid_request` naming field and value.
 */
export function parseDelay(value: unknown, where: string, nowMs: number = Date.now()): Delay {
  assertObject(value, where, 'an object with duration or until');
  const { duration, until, timezone } = value;
  if (isGiven(duration) && isGiven(until)) throw invalid(`${where} must have duration or until, not both`);
  if (isGiven(timezone) && !isZone(timezone)) {
    throw invalidValue(`${where}.timezone`, 'a time zone such as "Europe/Berlin" or "UTC+4"', timezone);
  }
  if (isGiven(duration)) return { durationMs: durationOf(duration, `${where}.duration`) };
  if (!isGiven(until)) throw invalid(`${where} must have duration (milliseconds) or until (an instant, or opening hours)`);
  return untilOf(until, `${where}.until`, nowMs, isZone(timezone) ? { timezone } : {});
}

function durationOf(duration: unknown, where: string) {
  if (typeof duration !== 'number' || !(duration >= 0 && duration <= DELAY_MS_MAX)) {
    throw invalidValue(where, `a number of milliseconds between 0 and ${DELAY_MS_MAX}`, duration);
  }
  return Math.ceil(duration / MINUTE_MS) * MINUTE_MS;
}

function untilOf(until: unknown, where: string, nowMs: number, zone: { timezone?: string }) {
  const instant = readInstant(until)?.getTime();
  if (typeof until !== 'string' || until.trim() === '' || (instant === undefined && LIKE_A_YEAR.test(until))) {
    throw invalidValue(
      where,
      'an ISO 8601 date or date with time between 1970 and 9999, or opening hours such as "Mo-Fr 09:00-17:00"',
      until,
    );
  }
  if (instant === undefined) {
    parseOpeningHours(until, where);
    return { window: until, ...zone };
  }
  if (instant > nowMs + DELAY_MS_MAX) throw invalidValue(where, 'within the next year', until);
  if (!isWallTime(until)) return { untilMs: instant };
  return zone.timezone === undefined ? { shownMs: instant, untilMs: instant } : { untilMs: instantShown(instant, zone.timezone) };
}

/** The input, beside the delay, to calculate when a message is due for one recipient. */
interface DelayContext {
  nowMs: number;
  /** When the send was accepted, the start of a duration. Default: now. */
  acceptedMs?: number;
  /** The sources of the recipient's zone. */
  zones: ZoneSources;
}

/** When a message is due (never before now), with details for its history; or the reason why it can never be sent. */
type Due = { dueMs: number; details: string } | { error: string };

/** Calculates when a delayed message is due for one recipient; `dueMs` is `nowMs` if the time has passed. */
export function dueAt(delay: Delay, { nowMs, acceptedMs = nowMs, zones }: DelayContext): Due {
  if ('durationMs' in delay) {
    const minutes = delay.durationMs / MINUTE_MS;
    return dueFrom(acceptedMs + delay.durationMs, nowMs, `Delayed by ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`);
  }
  if ('shownMs' in delay) {
    const zone = zoneOf(undefined, zones);
    const ms = instantShown(delay.shownMs, zone);
    return dueFrom(ms, nowMs, `Delayed until ${new Date(ms).toISOString()} (${zone})`);
  }
  if ('untilMs' in delay) return dueFrom(delay.untilMs, nowMs, `Delayed until ${new Date(delay.untilMs).toISOString()}`);

  const { hours, error } = openingHoursOf(delay.window);
  if (error !== undefined) return { error };
  const zone = zoneOf(delay.timezone, zones);
  const openMs = nextOpening(hours, nowMs, zone);
  const window = `The delivery window ${shown(delay.window)} (${zone})`;
  if (openMs === undefined) return { error: `${window} does not open within ${OPENING_DAYS_MAX} days` };
  return { dueMs: openMs, details: openMs === nowMs ? `${window} is open` : `${window} opens at ${new Date(openMs).toISOString()}` };
}

function dueFrom(ms: number, nowMs: number, details: string) {
  return { dueMs: Math.max(ms, nowMs), details };
}

const openingHoursOf = memoize(WINDOWS_MAX, (window) => {
  try {
    return { hours: parseOpeningHours(window, 'The delivery window') };
  } catch (error) {
    if (error instanceof ServiceError) return { error: error.message }; // a stored window that this version refuses
    throw error;
  }
});
