import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import { shown } from '@tidings/contracts/core/refusals';

const PERIODS_MS = { second: 1_000, minute: 60_000, hour: 3_600_000 } as const;
const RATE_MIN = 0.001;
const RATE_MAX = 1_000_000;

/** Rate limit of a provider: `rate` calls per `period`, evenly spaced. */
export interface RateLimit {
  readonly rate: number;
  readonly period: keyof typeof PERIODS_MS;
}

/** Parses the setting `rate_limit`; `null` is none. @throws ServiceError `invalid_request` that begins with `InvalidRateLimit`. */
export function parseRateLimit(value: unknown): RateLimit | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw invalid(`settings.rate_limit must be an object (got ${shown(value)})`);
  const { rate, period, ...unknown } = value;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw invalid(`settings.rate_limit has no field ${JSON.stringify(name.slice(0, 100))}; known: rate, period`);
  if (typeof rate !== 'number' || !(rate >= RATE_MIN && rate <= RATE_MAX))
    throw invalid(`settings.rate_limit.rate must be a number from ${RATE_MIN} to ${RATE_MAX} (got ${shown(rate)})`);
  if (typeof period !== 'string' || !Object.hasOwn(PERIODS_MS, period))
    throw invalid(`settings.rate_limit.period must be one of ${Object.keys(PERIODS_MS).join(', ')} (got ${shown(period)})`);
  return { rate, period: period as RateLimit['period'] };
}

/** Interval between two calls, in ms. */
export function intervalMs({ rate, period }: RateLimit): number {
  return PERIODS_MS[period] / rate;
}

function invalid(what: string) {
  return new ServiceError('invalid_request', `InvalidRateLimit: ${what}`);
}
