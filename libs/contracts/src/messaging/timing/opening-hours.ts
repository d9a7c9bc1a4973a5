import { type ZoneClock, zoneClock } from './zone-clock';

const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 24 * 60;
const DAY_MS = MINUTES_OF_DAY * MINUTE_MS;

/** How far ahead an opening is looked for. */
export const OPENING_DAYS_MAX = 90;

/** From `startMinute` (inclusive) to `endMinute` (exclusive) of a day; past 1440 it goes on into the next. */
export interface MinuteRange {
  startMinute: number;
  endMinute: number;
}

/** Days of the year, both included, as month × 100 + day; `from` after `to` goes over the end of the year. */
export interface DateRange {
  from: number;
  to: number;
}

/** On which days what is open. */
export interface OpeningRule {
  /** Bit 0 is Monday. */
  weekdays: number;
  /** None: every day of the year. */
  dates: readonly DateRange[];
  /** By their starts; none: closed. */
  open: readonly MinuteRange[];
}

/**
 * When something is open. On each day the last rule that names it decides alone, and a day no rule names is closed. What is
 * open over midnight belongs to the day on which it opens; yet it ends at midnight where a later rule closes the day after:
 * who says that nothing is to come on a day means all of it.
 */
export type OpeningHours = readonly OpeningRule[];

/** Every day of the week. */
export const ALL_WEEKDAYS = 0b111_1111;

/**
 * The first instant from `fromMs` on (ms since the epoch) at which the clocks of `zone` show a time that is open; starts are
 * open, ends are not. What these clocks skip is never shown, what they show twice is open twice. Undefined where nothing opens
 * within `OPENING_DAYS_MAX` days.
 * @param zone a name that `isZone` knows.
 */
export function nextOpening(hours: OpeningHours, fromMs: number, zone: string): number | undefined {
  const clock = zoneClock(zone);
  if (!clock) throw new Error(`${zone} is no zone whose clock is known`);
  return firstOpen(hours, fromMs, fromMs + OPENING_DAYS_MAX * DAY_MS, clock);
}

function firstOpen(hours: OpeningHours, fromMs: number, limitMs: number, clock: ZoneClock): number | undefined {
  let ms = fromMs;
  while (ms < limitMs) {
    const { offsetMs, untilMs } = clock.spanAt(ms);
    const endMs = Math.min(untilMs, limitMs);
    const shown = firstShown(hours, ms + offsetMs, endMs + offsetMs);
    if (shown !== undefined) return shown - offsetMs;
    ms = endMs;
  }
  return undefined;
}

/** The same on a clock that runs evenly. `fromMs` and `endMs` are what it shows, written as if it were UTC. */
function firstShown(hours: OpeningHours, fromMs: number, endMs: number): number | undefined {
  const firstDay = Math.floor(fromMs / DAY_MS);
  for (let day = firstDay - 1; day * DAY_MS < endMs; day += 1) {
    const index = decisive(hours, day);
    for (const { startMinute, endMinute } of hours[index]?.open ?? []) {
      const end = endMinute > MINUTES_OF_DAY && isClosedAfter(hours, index, day + 1) ? MINUTES_OF_DAY : endMinute;
      if (day * DAY_MS + end * MINUTE_MS <= fromMs) continue;
      const openMs = Math.max(day * DAY_MS + startMinute * MINUTE_MS, fromMs);
      return openMs < endMs ? openMs : undefined; // by day and by start: whatever follows is not earlier
    }
  }
  return undefined;
}

/** The index of the rule that decides about a day, −1 where none does. @param day days since 1 January 1970, a Thursday. */
function decisive(hours: OpeningHours, day: number): number {
  const weekday = ((day % 7) + 10) % 7;
  const date = dateOf(day);
  const decided = decidedBy(hours);
  const key = date * 7 + weekday;
  decided[key] ||= DECIDED + hours.findLastIndex((rule) => names(rule, weekday, date));
  return decided[key] - DECIDED;
}

/**
 * What was found for a date and a weekday, `DECIDED` higher; 0 where nobody asked. The recipients of one send ask for the same
 * few days a million times.
 */
function decidedBy(hours: OpeningHours): Int16Array {
  let decided = DECIDED_BY.get(hours);
  if (!decided) DECIDED_BY.set(hours, (decided = new Int16Array(DATES * 7)));
  return decided;
}

const DECIDED_BY = new WeakMap<OpeningHours, Int16Array>();
const DECIDED = 2;
/** Above every month × 100 + day. */
const DATES = 1232;

function names({ weekdays, dates }: OpeningRule, weekday: number, date: number): boolean {
  return (weekdays & (1 << weekday)) !== 0 && (dates.length === 0 || dates.some((range) => isWithin(date, range)));
}

function isClosedAfter(hours: OpeningHours, index: number, day: number): boolean {
  const next = decisive(hours, day);
  return next > index && hours[next]!.open.length === 0;
}

function dateOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

function isWithin(date: number, { from, to }: DateRange): boolean {
  return from <= to ? from <= date && date <= to : from <= date || date <= to;
}
