import { DEFAULT_LIMITS } from '@tidings/contracts/messaging/timing/timeouts';
import { retryDelayMs, retryWindowEnd } from './retry-plan';

const MIDDLE = 0.5;
const HOUR_MS = 3_600_000;
const last = (number: number, retryAfterMs?: number) => ({ number, hasNext: false, ...(retryAfterMs !== undefined && { retryAfterMs }) });

describe('the plan of retries', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [6, 32_000],
    [7, 60_000],
    [9, 60_000],
    [10, HOUR_MS],
    [11, 2 * HOUR_MS],
    [12, 3 * HOUR_MS],
    [40, 3 * HOUR_MS],
  ])('waits after attempt %i about %i ms', (number, delayMs) => {
    expect(retryDelayMs(last(number), MIDDLE)).toBe(delayMs);
  });

  it('waits a minute at most while another route is left', () => {
    expect([1, 7, 10, 400].map((number) => retryDelayMs({ number, hasNext: true }, MIDDLE))).toEqual([1_000, 60_000, 60_000, 60_000]);
  });

  it('adds jitter of up to a fifth in either direction', () => {
    expect(retryDelayMs(last(3), 0)).toBe(3_200);
    expect(retryDelayMs(last(3), 0.999_999)).toBe(4_800);
  });

  it('honours Retry-After up to three hours', () => {
    expect(retryDelayMs(last(1, 90_000), MIDDLE)).toBe(90_000);
    expect(retryDelayMs(last(8, 10), MIDDLE)).toBe(60_000);
    expect(retryDelayMs(last(1, 1e12), MIDDLE)).toBe(3 * HOUR_MS);
  });

  it('ends 72 hours after the message was accepted, unless the window has an end of its own', () => {
    expect(retryWindowEnd({ sinceMs: 1_000 })).toBe(1_000 + DEFAULT_LIMITS.messageMs);
    expect(retryWindowEnd({ sinceMs: 1_000, untilMs: 5_000 })).toBe(5_000);
  });
});
