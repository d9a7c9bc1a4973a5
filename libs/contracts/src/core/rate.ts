import { HOUR_MS, MINUTE_MS, SECOND_MS } from './duration';
import { CheckedBy } from './fields';

const PERIODS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS };
const RATE = /^([1-9]\d{0,6})\/([smh])$/;
/** Seconds whose requests may come at once. */
const BURST_SECONDS = 0.5;
/** So many requests may come at once at any rate, or the whole limit if it is less. */
const BURST_MIN = 5;

/** What a rate is, for error messages. */
export const RATE_FORM = 'a number, 1 to 9999999, and a period: "50/s", "600/m" or "1000/h"';

/** A rate of requests. */
export interface Rate {
  /** As configured: `50/s`. */
  readonly text: string;
  /** Requests in a period. */
  readonly limit: number;
  readonly perSecond: number;
  /** The most requests at once, after a pause: half a second's worth, at least 5 or the limit. Over any time a burst comes on top of the rate. */
  readonly burst: number;
}

/** The rate of a text such as `50/s`; `undefined` for a text that is none. */
export function parseRate(text: string): Rate | undefined {
  const [, number, period] = RATE.exec(text) ?? [];
  if (number === undefined) return undefined;
  const limit = Number(number);
  const perSecond = (limit * SECOND_MS) / PERIODS[period as keyof typeof PERIODS];
  return { text, limit, perSecond, burst: Math.max(perSecond * BURST_SECONDS, Math.min(limit, BURST_MIN)) };
}

/** A field with a rate. */
export const IsRate = CheckedBy('isRate', (value) => typeof value === 'string' && parseRate(value) !== undefined, `must be ${RATE_FORM}`);
