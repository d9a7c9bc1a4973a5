import { zoneClock } from './zone-clock';

const DAY_MS = 24 * 60 * 60_000;

/**
 * The instant (ms since the epoch) of a wall time in `zone`. For a repeated wall time, the first instant; a skipped one is shifted by
 * the change of the offset: 02:30 where 02:00 is followed by 03:00 is 03:30.
 * @param shownMs the wall time, written as if it were UTC.
 * @param zone a name that `isZone` accepts.
 */
export function instantShown(shownMs: number, zone: string): number {
  const clock = zoneClock(zone);
  if (!clock) throw new Error(`Unknown time zone ${zone}`);
  // Every offset is less than a day, and no offset changes twice in two days.
  const before = shownMs - clock.spanAt(shownMs - DAY_MS).offsetMs;
  const after = shownMs - clock.spanAt(shownMs + DAY_MS).offsetMs;
  const shows = (ms: number): boolean => ms + clock.spanAt(ms).offsetMs === shownMs;
  return shows(before) || !shows(after) ? before : after;
}
