import { isFailingForGood, nextAttemptMs, pauseAfter } from './webhook-retries';

const DAY_MS = 86_400_000;

it('retries after 5 s, later every 15 min, 296 times within three days', () => {
  const delays: number[] = [];
  let ageMs = 0;
  for (let number = 1; ; number += 1) {
    const delayMs = nextAttemptMs({ number, ageMs });
    if (delayMs === undefined) break;
    delays.push(delayMs / 1_000);
    ageMs += delayMs;
  }
  expect(delays.slice(0, 12)).toEqual([5, 10, 20, 40, 60, 120, 240, 480, 720, 900, 900, 900]);
  expect(delays).toHaveLength(295);
  expect(ageMs).toBeLessThan(3 * DAY_MS);
});

it('waits as long as the receiver wants, and not beyond three days', () => {
  expect(nextAttemptMs({ number: 1, ageMs: 0, retryAfterMs: 60_000 })).toBe(60_000);
  expect(nextAttemptMs({ number: 10, ageMs: 0, retryAfterMs: 1_000 })).toBe(900_000);
  expect(nextAttemptMs({ number: 2, ageMs: 3 * DAY_MS - 5_000 })).toBeUndefined();
});

it('pauses a failing receiver up to a minute', () => {
  expect(pauseAfter(0, 1_000)).toBe(0);
  expect(pauseAfter(1, 1_000)).toBeLessThanOrEqual(1_000);
  expect(pauseAfter(100, 1_000)).toBeGreaterThanOrEqual(30_000);
  expect(pauseAfter(100, 1_000)).toBeLessThanOrEqual(60_000);
});

it('gives a receiver three days and ten rounds', () => {
  expect(isFailingForGood(10, 3 * DAY_MS)).toBe(true);
  expect(isFailingForGood(9, 30 * DAY_MS)).toBe(false);
  expect(isFailingForGood(1_000, 3 * DAY_MS - 1)).toBe(false);
});
