import { zoneClock } from './zone-clock';

/** The zone of whoever named none that is known. */
const DEFAULT_ZONE = 'UTC';

/** Where the zone of one recipient may be written. */
export interface ZoneSources {
  /** The recipient as the send names it. */
  to?: Readonly<Record<string, unknown>>;
  /** The recipient's stored profile. */
  profile?: Readonly<Record<string, unknown>>;
}

/** Whether this names a zone whose clock is known: IANA (`Europe/Berlin`) or an offset (`UTC+4`, `UTC-03:30`, `GMT+1`). */
export function isZone(name: unknown): name is string {
  return typeof name === 'string' && zoneClock(name) !== undefined;
}

/**
 * The zone in which a recipient's windows are read: the delay's own, else the recipient's `zoneinfo` or `timezone` as the send
 * gives them, else those of the profile, else UTC. What names no zone is passed over: a profile may hold anything.
 */
export function zoneOf(delayTimezone: unknown, { to = {}, profile = {} }: ZoneSources): string {
  return [delayTimezone, to.zoneinfo, to.timezone, profile.zoneinfo, profile.timezone].find(isZone) ?? DEFAULT_ZONE;
}
