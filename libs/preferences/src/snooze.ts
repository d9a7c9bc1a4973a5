import type { PreferenceRule } from '@tidings/contracts/core/preferences';
import { readExpiryDate } from '@tidings/contracts/identity/expiry-date';

/**
 * Until when (ms since 1970) a snooze holds that is on at `now`: `start <= now < until`, without `start` from any time on.
 * Undefined where none is on. Of several the one that ends last.
 *
 * Dates are ISO 8601, in UTC where no offset is given. An `until` that cannot be read ends the rule (a silence without end is
 * nobody's wish), a `start` that cannot be read counts as absent (the silence itself was asked for). Other rule types do not count.
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

function instantOf(date: unknown): number | undefined {
  const instant = readExpiryDate(date);
  return instant instanceof Date ? instant.getTime() : undefined;
}
