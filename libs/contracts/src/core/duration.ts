import { invalidValue } from './refusals';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** The average calendar year, so that `1y` has the same length from any start. */
export const YEAR_MS = 365.25 * DAY_MS;

const UNITS = {
  's sec secs second seconds': SECOND_MS,
  'm min mins minute minutes': MINUTE_MS,
  'h hr hrs hour hours': HOUR_MS,
  'd day days': DAY_MS,
  'w week weeks': 7 * DAY_MS,
  'y yr yrs year years': YEAR_MS,
};
const MS_OF_UNIT = new Map(Object.entries(UNITS).flatMap(([names, ms]) => names.split(' ').map((name) => [name, ms] as const)));

/** A number, decimals allowed, an optional blank, and a unit. */
const PHRASE = /^(\d{1,12}(?:\.\d{1,6})?|\.\d{1,6}) ?([a-z]+)$/i;

/**
 * The milliseconds of a phrase such as `2 hours`, `1d`, `2.5 hrs`, `1m` (a minute), `1y`. `name` is the field, for errors,
 * which quote the bounds, phrases too.
 * @throws ServiceError `invalid_request` for another text, or a duration outside the bounds.
 */
export function parseDuration(phrase: string, name: string, { min, max }: { min: string; max: string }): number {
  const ms = durationOf(phrase);
  if (ms === undefined) throw invalidValue(name, 'a number and a unit, such as "2 hours", "1d" or "30m"', phrase);
  if (ms < durationOf(min)! || ms > durationOf(max)!) throw invalidValue(name, `between ${min} and ${max}`, phrase);
  return ms;
}

/** The milliseconds of such a phrase, without bounds; `undefined` for another text. */
export function durationOf(phrase: string): number | undefined {
  const [, number, unit] = PHRASE.exec(phrase) ?? [];
  const msOfUnit = unit === undefined ? undefined : MS_OF_UNIT.get(unit.toLowerCase());
  return msOfUnit === undefined ? undefined : Number(number) * msOfUnit;
}
