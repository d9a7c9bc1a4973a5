import { parseDuration } from './duration';

const BOUNDS = { min: '1 second', max: '1 year' };
const HOUR_MS = 3_600_000;

it.each([
  ['2 hours', 2 * HOUR_MS],
  ['1d', 24 * HOUR_MS],
  ['3 days', 72 * HOUR_MS],
  ['10h', 10 * HOUR_MS],
  ['2.5 hrs', 2.5 * HOUR_MS],
  ['.5h', HOUR_MS / 2],
  ['1m', 60_000],
  ['5s', 5_000],
  ['1 week', 7 * 24 * HOUR_MS],
  ['1y', 365.25 * 24 * HOUR_MS],
  ['1 Hour', HOUR_MS],
])('reads "%s"', (phrase, ms) => {
  expect(parseDuration(phrase, 'expires_in', BOUNDS)).toBe(ms);
});

it.each(['', ' ', '1', 'h', '-1h', '1  h', '1h ', '1 h 5 m', '1 fortnight', '1e3 s', '1..5h', 'Infinity s', '0x10s', '1 constructor'])(
  'refuses "%s", which is no duration, and quotes it',
  (phrase) => {
    const refusal = expect(() => parseDuration(phrase, 'expires_in', BOUNDS));
    refusal.toThrow(/^expires_in must be a number and a unit/);
    refusal.toThrow(JSON.stringify(phrase));
  },
);

it.each(['0s', '0.999s', '1.001y', '366 days', '999999999999y'])('refuses "%s", which is outside the bounds, and names them', (phrase) => {
  expect(() => parseDuration(phrase, 'expires_in', BOUNDS)).toThrow('expires_in must be between 1 second and 1 year');
});
