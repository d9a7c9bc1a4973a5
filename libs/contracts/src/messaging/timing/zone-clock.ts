import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration';
import { memoize } from './memoize';

/** Offsets are loaded for blocks of this length. */
const BLOCK_MS = 32 * DAY_MS;
/** Changes of a zone's offset are weeks apart, so two probes never miss one. */
const PROBE_MS = 12 * HOUR_MS;
/** Cached blocks of one zone: more than two years; sends need the next months. */
const BLOCKS_MAX = 24;
/** Cached names, unknown ones included; the zone database has some 600 with all aliases. */
const NAMES_MAX = 2_000;
/** The longest name of the zone database has 32 characters. */
const NAME_LENGTH_MAX = 64;
const IANA_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,3}$/;
const FIXED_OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
/** The largest offset from UTC. */
const OFFSET_MS_MAX = 14 * HOUR_MS;

/** A time range with a constant offset: wall time is UTC plus `offsetMs`, until `untilMs` (exclusive). */
interface OffsetSpan {
  offsetMs: number;
  /** The end of the range; the next range may have the same offset. */
  untilMs: number;
}

/** The offsets of a zone: the span that contains `ms` (since the epoch). */
type ZoneClock = (ms: number) => OffsetSpan;

/**
 * The clock of a zone by its name: a name of the IANA database in any case (`Europe/Berlin`, aliases too), or an offset such as
 * `UTC+4`, `UTC-03:30`, `GMT+1`, `+05:30` up to 14 hours. Undefined for any other name.
 */
export function zoneClock(name: string): ZoneClock | undefined {
  return name.length > NAME_LENGTH_MAX ? undefined : clockOfName(name);
}

/** As `zoneClock`, for a name that `isZone` accepts. */
export function clockOf(zone: string): ZoneClock {
  const clock = zoneClock(zone);
  if (!clock) throw new Error(`Unknown time zone ${zone}`);
  return clock;
}

const clockOfName = memoize(NAMES_MAX, (name) => {
  const fixed = FIXED_OFFSET.exec(name);
  if (fixed) return fixedClock(fixed);
  const canonical = IANA_NAME.test(name) ? canonicalName(name) : undefined;
  return canonical === undefined ? undefined : clockOfCanonicalName(canonical);
});

const clockOfCanonicalName = memoize(NAMES_MAX, databaseClock);

function fixedClock(found: RegExpExecArray) {
  const span = { offsetMs: offsetOf(found), untilMs: Infinity };
  return Number(found[3] ?? 0) >= 60 || Math.abs(span.offsetMs) > OFFSET_MS_MAX ? undefined : () => span;
}

/** The offset in a text with a sign, hours, minutes and seconds. */
function offsetOf([, sign, hours, minutes = '0', seconds = '0']: RegExpExecArray) {
  const distanceMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  return sign === '-' ? 0 - distanceMs : distanceMs;
}

function canonicalName(name: string) {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // the constructor is the only check for a zone
  }
}

/** A zone of the runtime's database. A query takes microseconds, so each change is searched once and cached. */
function databaseClock(name: string): ZoneClock {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const offsetAt = (ms: number) => {
    const found = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(format.format(ms));
    return found ? offsetOf(found) : 0; // UTC may be shown as plain "GMT"
  };
  const blocks = new Map<number, OffsetSpan[]>();
  return (ms) => {
    const block = Math.floor(ms / BLOCK_MS);
    let spans = blocks.get(block);
    if (!spans) {
      spans = spansOf(offsetAt, block * BLOCK_MS, (block + 1) * BLOCK_MS);
      if (blocks.size >= BLOCKS_MAX) blocks.clear();
      blocks.set(block, spans);
    }
    return spans.find(({ untilMs }) => ms < untilMs)!;
  };
}

function spansOf(offsetAt: (ms: number) => number, startMs: number, endMs: number) {
  const spans: OffsetSpan[] = [];
  let offsetMs = offsetAt(startMs);
  for (let probeMs = startMs; probeMs < endMs; probeMs += PROBE_MS) {
    const nextOffsetMs = offsetAt(probeMs + PROBE_MS);
    if (nextOffsetMs === offsetMs) continue;
    // The change is the first whole second with another offset.
    let [before, after] = [probeMs / SECOND_MS, (probeMs + PROBE_MS) / SECOND_MS];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle * SECOND_MS) === offsetMs) before = middle;
      else after = middle;
    }
    spans.push({ offsetMs, untilMs: after * SECOND_MS });
    offsetMs = nextOffsetMs;
  }
  return [...spans, { offsetMs, untilMs: endMs }];
}

/** The zone of recipients without a valid one. */
const DEFAULT_ZONE = 'UTC';

/** The sources of the zone of one recipient. */
export interface ZoneSources {
  /** The recipient as the send names it. */
  to?: Readonly<Record<string, unknown>>;
  /** The recipient's stored profile. */
  profile?: Readonly<Record<string, unknown>>;
}

/** Whether this is the name of a zone: IANA (`Europe/Berlin`) or an offset (`UTC+4`, `UTC-03:30`, `GMT+1`). */
export function isZone(name: unknown): name is string {
  return typeof name === 'string' && zoneClock(name) !== undefined;
}

/**
 * The zone of a recipient's windows: the delay's own, else the recipient's `zoneinfo` or `timezone` in the send, else those of the
 * profile, else UTC. Invalid names are skipped: a profile may contain any value.
 */
export function zoneOf(delayTimezone: unknown, { to = {}, profile = {} }: ZoneSources): string {
  return [delayTimezone, to.zoneinfo, to.timezone, profile.zoneinfo, profile.timezone].find(isZone) ?? DEFAULT_ZONE;
}

/**
 * The instant (ms since the epoch) of a wall time in `zone`. For a repeated wall time, the first instant; a skipped one is shifted by
 * the change of the offset: 02:30 where 02:00 is followed by 03:00 is 03:30.
 * @param shownMs the wall time, written as if it were UTC.
 * @param zone a name that `isZone` accepts.
 */
export function instantShown(shownMs: number, zone: string): number {
  const clock = clockOf(zone);
  // Every offset is less than a day, and no offset changes twice in two days.
  const before = shownMs - clock(shownMs - DAY_MS).offsetMs;
  const after = shownMs - clock(shownMs + DAY_MS).offsetMs;
  const shows = (ms: number) => ms + clock(ms).offsetMs === shownMs;
  return shows(before) || !shows(after) ? before : after;
}
