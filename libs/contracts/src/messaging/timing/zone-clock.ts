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

/** The offsets of a zone. */
export interface ZoneClock {
  /** The span that contains `ms` (since the epoch). */
  spanAt(ms: number): OffsetSpan;
}

/**
 * The clock of a zone by its name: a name of the IANA database in any case (`Europe/Berlin`, aliases too), or an offset such as
 * `UTC+4`, `UTC-03:30`, `GMT+1`, `+05:30` up to 14 hours. Undefined for any other name.
 */
export function zoneClock(name: string): ZoneClock | undefined {
  return name.length > NAME_LENGTH_MAX ? undefined : clockOfName(name);
}

const clockOfName = memoize<ZoneClock | undefined>(NAMES_MAX, (name) => {
  const fixed = FIXED_OFFSET.exec(name);
  if (fixed) return fixedClock(fixed);
  const canonical = IANA_NAME.test(name) ? canonicalName(name) : undefined;
  return canonical === undefined ? undefined : clockOfCanonicalName(canonical);
});

const clockOfCanonicalName = memoize<ZoneClock>(NAMES_MAX, (name) => new DatabaseZone(name));

function fixedClock([, sign, hours, minutes = '0']: RegExpExecArray): ZoneClock | undefined {
  const distanceMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  if (Number(minutes) >= 60 || distanceMs > OFFSET_MS_MAX) return undefined;
  const span = { offsetMs: sign === '-' ? 0 - distanceMs : distanceMs, untilMs: Infinity };
  return { spanAt: () => span };
}

function canonicalName(name: string) {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // the constructor is the only check for a zone
  }
}

/** A zone of the runtime's database. A query takes microseconds, so each change is searched once and cached. */
class DatabaseZone implements ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  readonly #blocks = new Map<number, OffsetSpan[]>();

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  spanAt(ms: number): OffsetSpan {
    const block = Math.floor(ms / BLOCK_MS);
    const spans = this.#blocks.get(block) ?? this.#load(block);
    return spans.find(({ untilMs }) => ms < untilMs)!;
  }

  #load(block: number): OffsetSpan[] {
    const spans = this.#spansOf(block * BLOCK_MS, (block + 1) * BLOCK_MS);
    if (this.#blocks.size >= BLOCKS_MAX) this.#blocks.clear();
    this.#blocks.set(block, spans);
    return spans;
  }

  #spansOf(startMs: number, endMs: number): OffsetSpan[] {
    const spans: OffsetSpan[] = [];
    let offsetMs = this.#offsetAt(startMs);
    for (let probeMs = startMs; probeMs < endMs; probeMs += PROBE_MS) {
      const nextOffsetMs = this.#offsetAt(probeMs + PROBE_MS);
      if (nextOffsetMs === offsetMs) continue;
      spans.push({ offsetMs, untilMs: this.#changeBetween(probeMs, probeMs + PROBE_MS, offsetMs) });
      offsetMs = nextOffsetMs;
    }
    return [...spans, { offsetMs, untilMs: endMs }];
  }

  /** The first whole second after `beforeMs` with another offset than `offsetMs`, the offset at `beforeMs`; at most `afterMs`. */
  #changeBetween(beforeMs: number, afterMs: number, offsetMs: number): number {
    let [before, after] = [beforeMs / SECOND_MS, afterMs / SECOND_MS];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#offsetAt(middle * SECOND_MS) === offsetMs) before = middle;
      else after = middle;
    }
    return after * SECOND_MS;
  }

  #offsetAt(ms: number): number {
    const [, sign, hours, minutes, seconds = '0'] = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(this.#format.format(ms)) ?? [];
    if (sign === undefined) return 0; // UTC may be shown as plain "GMT"
    const distanceMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
    return sign === '-' ? -distanceMs : distanceMs;
  }
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
  const clock = zoneClock(zone);
  if (!clock) throw new Error(`Unknown time zone ${zone}`);
  // Every offset is less than a day, and no offset changes twice in two days.
  const before = shownMs - clock.spanAt(shownMs - DAY_MS).offsetMs;
  const after = shownMs - clock.spanAt(shownMs + DAY_MS).offsetMs;
  const shows = (ms: number) => ms + clock.spanAt(ms).offsetMs === shownMs;
  return shows(before) || !shows(after) ? before : after;
}
