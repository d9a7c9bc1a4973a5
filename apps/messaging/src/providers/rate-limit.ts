import { unknownFieldSentences } from '@tidings/contracts/core/known-fields';
import { assertObject, invalid, shown } from '@tidings/contracts/core/refusals';
import { keyPath } from '@tidings/contracts/core/text';

const PERIODS_MS = { second: 1_000, minute: 60_000, hour: 3_600_000 } as const;
const NAME = 'settings.rate_limit';
/** How many unknown fields an error names. */
const UNKNOWN_SHOWN_MAX = 3;
const RATE_MIN = 0.001;
const RATE_MAX = 1_000_000;

/** Rate limit of a provider: `rate` calls per `period`, evenly spaced. */
export interface RateLimit {
  readonly rate: number;
  readonly period: keyof typeof PERIODS_MS;
}

/** Parses the setting `rate_limit`; `null` is none. @throws ServiceError `invalid_request` naming each wrong field. */
export function parseRateLimit(value: unknown): RateLimit | undefined {
  if (value === undefined || value === null) return undefined;
  assertObject(value, NAME);
  const { rate, period, ...unknown } = value;
  const possible = ['rate', 'period'];
  const problems = unknownFieldSentences(
    Object.keys(unknown)
      .slice(0, UNKNOWN_SHOWN_MAX)
      .map((name) => ({ path: keyPath(NAME, name), name, possible })),
  );
  if (typeof rate !== 'number' || !(rate >= RATE_MIN && rate <= RATE_MAX))
    problems.push(`${NAME}.rate must be a number from ${RATE_MIN} to ${RATE_MAX} (got ${shown(rate)})`);
  if (typeof period !== 'string' || !Object.hasOwn(PERIODS_MS, period))
    problems.push(`${NAME}.period must be one of ${Object.keys(PERIODS_MS).join(', ')} (got ${shown(period)})`);
  if (problems.length > 0) throw invalid(problems.join('; '));
  return { rate: rate as number, period: period as RateLimit['period'] };
}

/** Interval between two calls, in ms. */
export function intervalMs({ rate, period }: RateLimit): number {
  return PERIODS_MS[period] / rate;
}
