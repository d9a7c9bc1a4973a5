import type { PreferenceRule } from '@tidings/contracts/core/preferences';
import { readExpiryDate } from '@tidings/contracts/identity/expiry-date';

/**
 * The end (ms since 1970) of the snooze that is active at `now`: `start <= now < until`, or `now < until` without `start`.
 * Undefined where none is active; of several the latest end.
 *
 * Dates are ISO 8601, in UTC without an offset. An invalid `until` disables the rule (no user wants a snooze without end), an invalid
 * `start` counts as absent (the user requested the snooze itself). Other rule types do not count.
 */
export function snoozedUntil(rules: readonly PreferenceRule[], now: number): number | undefined {
  let end: number | undefined;
  for (const rule of rules as readonly unknown[]) {
    if (!isSnooze(rule)) continue;
    const until = instantOf(rule.until);
    const start = instantOf(rule.start);
    if (until === undefined || now >= until || (start !== undefined && now < start)) continue;
    if (end === undefined || until > end) end = until;
  }
  return end;
}

/** Rules given with a send are a client's JSON; without a type they are snoozes. */
function isSnooze(rule: unknown): rule is { until?: unknown; start?: unknown } {
  if (rule === null || typeof rule !== 'object') return false;
  const { type } = rule as { type?: unknown };
  return type === 'snooze' || type === undefined || type === null;
}

function instantOf(date: unknown) {
  const instant = readExpiryDate(date);
  return instant instanceof Date ? instant.getTime() : undefined;
}
