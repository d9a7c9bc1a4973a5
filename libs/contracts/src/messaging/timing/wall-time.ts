import { zoneClock } from './zone-clock';

const DAY_MS = 24 * 60 * 60_000;

/**
 * The instant (ms since the epoch) at which the clocks of `zone` show a time. Of a time that they show twice, the first; a time that they
 * skip is as much later as the clocks then are: 02:30 where 02:00 is followed by 03:00 is 03:30.
 * @param shownMs what the clocks show, written as if it were UTC.
 * @param zone a name that `isZone` knows.
 */
export function instantShown(shownMs: number, zone: string): number {
  const clock = zoneClock(zone);
  if (!clock) throw new Error(`${zone} is no zone whose clock is known`);
  // No clock is a day away from UTC, and none changes twice in two days.
  const before = shownMs - clock.spanAt(shownMs - DAY_MS).offsetMs;
  const after = shownMs - clock.spanAt(shownMs + DAY_MS).offsetMs;
  const shows = (ms: number): boolean => ms + clock.spanAt(ms).offsetMs === shownMs;
  return shows(before) || !shows(after) ? before : after;
}
