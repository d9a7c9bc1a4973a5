import { isJsonObject } from '../../core/deep-merge';
import { ServiceError } from '../../core/errors';
import { isWallTime, readInstant } from '../../core/instant';
import { invalid, isGiven, shown } from '../../core/refusals';
import { nextOpening, OPENING_DAYS_MAX } from './opening-hours';
import { parseOpeningHours } from './parse-opening-hours';
import { remembered } from './remembered';
import { instantShown } from './wall-time';
import { isZone, zoneOf, type ZoneSources } from './zones';

const MINUTE_MS = 60_000;
/** The longest delay and the farthest instant: the same date of the next year, whatever the year. */
export const DELAY_MS_MAX = 366 * 24 * 60 * MINUTE_MS;
/** Windows that are kept parsed: the sends of a moment name few. */
const WINDOWS_MAX = 256;
/** What begins so was meant as a date: no opening hours do. */
const LIKE_A_YEAR = /^\s*[+-]?\d{4}/;

/**
 * When a message is to be sent: some whole minutes after it was accepted, at an instant, when the clocks of the recipient's zone show a time
 * (`shownMs`: written as if it were UTC; `untilMs` the same, for processes that do not know it), or at the next opening of a window
 * (opening hours, as `parseOpeningHours` reads them) in the recipient's zone, or in `timezone` where the send names one.
 */
export type Delay =
  { durationMs: number } | { untilMs: number } | { shownMs: number; untilMs: number } | { window: string; timezone?: string };

/**
 * What a send says of its delay: `{ duration }` in ms, rounded up to whole minutes, or `{ until }`, an ISO 8601 date (its
 * beginning in UTC) or date with time, or opening hours; `timezone` beside it. A time without an offset is what clocks there show. `null` is as
 * good as nothing, but one is needed.
 * @param where the field it came in.
 * @param nowMs from when the year is counted within which instants must lie. Those in the past are fine: they are due.
 * @throws ServiceError `invalid_request` naming field and value.
 */
export function parseDelay(value: unknown, where: string, nowMs: number = Date.now()): Delay {
  if (!isJsonObject(value)) throw invalid(`${where} must be an object with duration or until (got ${shown(value)})`);
  const { duration, until, timezone } = value;
  if (isGiven(duration) && isGiven(until)) throw invalid(`${where} must have duration or until, not both`);
  if (isGiven(timezone) && !isZone(timezone)) {
    throw invalid(`${where}.timezone must be a time zone such as "Europe/Berlin" or "UTC+4" (got ${shown(timezone)})`);
  }
  if (isGiven(duration)) return { durationMs: durationOf(duration, `${where}.duration`) };
  if (!isGiven(until)) throw invalid(`${where} must have duration (milliseconds) or until (an instant, or opening hours)`);
  return untilOf(until, `${where}.until`, nowMs, isGiven(timezone) ? { timezone: timezone as string } : {});
}

function durationOf(duration: unknown, where: string): number {
  if (typeof duration !== 'number' || !(duration >= 0 && duration <= DELAY_MS_MAX)) {
    throw invalid(`${where} must be a number of milliseconds between 0 and ${DELAY_MS_MAX} (got ${shown(duration)})`);
  }
  return Math.ceil(duration / MINUTE_MS) * MINUTE_MS;
}

function untilOf(until: unknown, where: string, nowMs: number, zone: { timezone?: string }): Delay {
  const instant = readInstant(until)?.getTime();
  if (typeof until !== 'string' || until.trim() === '' || (instant === undefined && LIKE_A_YEAR.test(until))) {
    throw invalid(
      `${where} must be an ISO 8601 date or date with time between 1970 and 9999, or opening hours such as "Mo-Fr 09:00-17:00" (got ${shown(until)})`,
    );
  }
  if (instant === undefined) {
    parseOpeningHours(until, where);
    return { window: until, ...zone };
  }
  if (instant > nowMs + DELAY_MS_MAX) throw invalid(`${where} must be within the next year (got ${shown(until)})`);
  if (!isWallTime(until)) return { untilMs: instant };
  return zone.timezone === undefined ? { shownMs: instant, untilMs: instant } : { untilMs: instantShown(instant, zone.timezone) };
}

/** What is known when a delay is worked out for one recipient. */
interface DelayCircumstances {
  nowMs: number;
  /** When the send was accepted: a duration counts from then. Default: now. */
  acceptedMs?: number;
  /** Where the recipient's zone may be written. */
  zones: ZoneSources;
}

/** When a message is due (never before now), with a sentence for people; or why it can never be sent. */
type Due = { dueMs: number; details: string } | { error: string };

/** Works out when a delayed message is due for one recipient. What is due by now needs no wait: `dueMs` is `nowMs`. */
export function dueAt(delay: Delay, { nowMs, acceptedMs = nowMs, zones }: DelayCircumstances): Due {
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

function dueFrom(ms: number, nowMs: number, details: string): Due {
  return { dueMs: Math.max(ms, nowMs), details };
}

const openingHoursOf = remembered(WINDOWS_MAX, (window) => {
  try {
    return { hours: parseOpeningHours(window, 'The delivery window') };
  } catch (error) {
    if (error instanceof ServiceError) return { error: error.message }; // a record that no longer reads as it did when it was accepted
    throw error;
  }
});
