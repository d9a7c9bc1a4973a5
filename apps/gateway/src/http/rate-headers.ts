import type { ServerResponse } from 'node:http';
import type { RateState } from '../limits/rate-limiter';

export const RATE_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;

/** Shows the client the state of its rate limit: requests of a period, requests that may come now, seconds until a burst may come. */
export function setRateHeaders(response: ServerResponse, { limit, remaining, resetSeconds }: RateState) {
  const [limitHeader, remainingHeader, resetHeader] = RATE_HEADERS;
  response.setHeader(limitHeader, limit);
  response.setHeader(remainingHeader, remaining);
  response.setHeader(resetHeader, resetSeconds);
}
