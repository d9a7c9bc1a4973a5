import { readIsoDuration } from './iso-duration';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

it.each([
  ['P1DT4H', DAY_MS + 4 * HOUR_MS],
  ['P1D', DAY_MS],
  ['PT5M', 300_000],
  ['PT0.5S', 500],
  ['PT0,5S', 500],
  ['P2W', 14 * DAY_MS],
  ['P1Y', 365.25 * DAY_MS],
  ['P12M', 365.25 * DAY_MS],
  ['P1Y2M3W4DT5H6M7S', (365.25 * (1 + 2 / 12) + 25) * DAY_MS + 5 * HOUR_MS + 367_000],
  ['PT36H', 36 * HOUR_MS],
  ['PT0S', 0],
])('reads %s', (text, ms) => {
  expect(readIsoDuration(text)).toBeCloseTo(ms, 3);
});

it.each([
  '',
  'P',
  'PT',
  'P1',
  '1D',
  'P1DT',
  'PT1D',
  'P1H',
  'P-1D',
  '-P1D',
  'P1D ',
  'p1d',
  'P1D1D',
  'PT1M1H',
  'P1e3D',
  'P.5D',
  'P1DT4',
  'P٣D',
])('does not read "%s"', (text) => {
  expect(readIsoDuration(text)).toBeUndefined();
});

it('refuses very long texts quickly', () => {
  expect(readIsoDuration(`P${'1'.repeat(1_000_000)}`)).toBeUndefined();
  expect(readIsoDuration(`P${'1D'.repeat(500_000)}`)).toBeUndefined();
});
