import { DAY_MS, MINUTE_MS } from '../../core/duration';
import { clockOf } from './zone-clock';

const MINUTES_OF_DAY = 24 * 60;

/** How far ahead an opening is searched. */
export const OPENING_DAYS_MAX = 90;

/** From `startMinute` (inclusive) to `endMinute` (exclusive) of a day; an end past 1440 is on the next day. */
export interface MinuteRange {
  startMinute: number;
  endMinute: number;
}

/** Days of the year, both included, as month × 100 + day; with `from` after `to`, the range includes the end of the year. */
export interface DateRange {
  from: number;
  to: number;
}

/** A rule: its days and their open minutes. */
export interface OpeningRule {
  /** Bit 0 is Monday. */
  weekdays: number;
  /** None: every day of the year. */
  dates: readonly DateRange[];
  /** Sorted by start; none: closed. */
  open: readonly MinuteRange[];
}

/**
 * Rules of opening hours. The last rule that names a day decides about it; a day without a rule is closed. A range past midnight
 * belongs to the day on which it begins, but ends at midnight if a later rule closes the next day: closed means the whole day.
 */
export type OpeningHours = readonly OpeningRule[];

/** Every day of the week. */
export const ALL_WEEKDAYS = 0b111_1111;

/**
 * The first instant from `fromMs` on (ms since the epoch) whose wall time in `zone` is open; starts are inclusive, ends exclusive.
 * Skipped wall times never occur, repeated ones are open twice. Undefined if nothing opens within `OPENING_DAYS_MAX` days.
 * @param zone a name that `isZone` accepts.
 */
export function nextOpening(hours: OpeningHours, fromMs: number, zone: string): number | undefined {
  const clock = clockOf(zone);
  const limitMs = fromMs + OPENING_DAYS_MAX * DAY_MS;
  let ms = fromMs;
  while (ms < limitMs) {
    const { offsetMs, untilMs } = clock(ms);
    const endMs = Math.min(untilMs, limitMs);
    const shown = firstShown(hours, ms + offsetMs, endMs + offsetMs);
    if (shown !== undefined) return shown - offsetMs;
    ms = endMs;
  }
  return undefined;
}

/** The first open wall time at a constant offset. `fromMs`, `endMs` and the result are wall times, written as if they were UTC. */
function firstShown(hours: OpeningHours, fromMs: number, endMs: number) {
  const firstDay = Math.floor(fromMs / DAY_MS);
  for (let day = firstDay - 1; day * DAY_MS < endMs; day += 1) {
    const index = decidingRule(hours, day);
    for (const { startMinute, endMinute } of hours[index]?.open ?? []) {
      const end = endMinute > MINUTES_OF_DAY && isClosedAfter(hours, index, day + 1) ? MINUTES_OF_DAY : endMinute;
      if (day * DAY_MS + end * MINUTE_MS <= fromMs) continue;
      const openMs = Math.max(day * DAY_MS + startMinute * MINUTE_MS, fromMs);
      return openMs < endMs ? openMs : undefined; // sorted by day and start: later ranges open no earlier
    }
  }
  return undefined;
}

/** The index of the rule that decides about a day, or −1. @param day days since 1 January 1970, a Thursday. */
function decidingRule(hours: OpeningHours, day: number) {
  const weekday = ((day % 7) + 10) % 7;
  const date = dateOf(day);
  const decisions = decisionsOf(hours);
  const key = date * 7 + weekday;
  decisions[key] ||= INDEX_OFFSET + hours.findLastIndex((rule) => covers(rule, weekday, date));
  return decisions[key] - INDEX_OFFSET;
}

/**
 * The cached rule indices by date and weekday, plus `INDEX_OFFSET`; 0: not cached. A million recipients of one send need the same
 * few days.
 */
function decisionsOf(hours: OpeningHours) {
  let decisions = DECISIONS.get(hours);
  if (!decisions) DECISIONS.set(hours, (decisions = new Int16Array(DATES * 7)));
  return decisions;
}

const DECISIONS = new WeakMap<OpeningHours, Int16Array>();
const INDEX_OFFSET = 2;
/** Above every month × 100 + day. */
const DATES = 1232;

function covers({ weekdays, dates }: OpeningRule, weekday: number, date: number) {
  return (weekdays & (1 << weekday)) !== 0 && (dates.length === 0 || dates.some((range) => isWithin(date, range)));
}

function isClosedAfter(hours: OpeningHours, index: number, day: number) {
  const next = decidingRule(hours, day);
  return next > index && hours[next]!.open.length === 0;
}

function dateOf(day: number) {
  const date = new Date(day * DAY_MS);
  return (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

function isWithin(date: number, { from, to }: DateRange) {
  return from <= to ? from <= date && date <= to : from <= date || date <= to;
}
