import { zoneClock } from './zone-clock';

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
