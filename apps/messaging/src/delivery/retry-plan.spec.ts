import { isPastMessageLimit, MESSAGE_LIMIT_MS, retryDelayMs } from './retry-plan';

const MIDDLE = 0.5;
const HOUR_MS = 3_600_000;

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
  ])('waits after attempt %i about %i ms', (attempt, delayMs) => {
    expect(retryDelayMs(attempt, MIDDLE)).toBe(delayMs);
  });

  it('spreads waiting messages by a fifth to either side', () => {
    expect(retryDelayMs(3, 0)).toBe(3_200);
    expect(retryDelayMs(3, 0.999_999)).toBe(4_800);
  });

  it('waits as long as the receiver asks, up to three hours', () => {
    expect(retryDelayMs(1, MIDDLE, 90_000)).toBe(90_000);
    expect(retryDelayMs(8, MIDDLE, 10)).toBe(60_000);
    expect(retryDelayMs(1, MIDDLE, 1e12)).toBe(3 * HOUR_MS);
  });

  it('ends 72 hours after the message was accepted', () => {
    expect(isPastMessageLimit(0, MESSAGE_LIMIT_MS - 1_000, 1_000)).toBe(false);
    expect(isPastMessageLimit(0, MESSAGE_LIMIT_MS - 1_000, 1_001)).toBe(true);
  });
});
