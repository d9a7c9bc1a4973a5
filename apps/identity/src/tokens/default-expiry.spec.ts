import { defaultExpiry } from './default-expiry';

it.each([
  ['2026-01-15T10:20:30.400Z', '2026-03-15T10:20:30.400Z', 'the same day and time'],
  ['2026-12-31T23:59:59.999Z', '2027-02-28T23:59:59.999Z', 'the last day of February'],
  ['2027-12-31T00:00:00.000Z', '2028-02-29T00:00:00.000Z', 'the leap day'],
  ['2026-12-29T00:00:00.000Z', '2027-02-28T00:00:00.000Z', 'the last day, where there is no 29th'],
  ['2026-07-31T12:00:00.000Z', '2026-09-30T12:00:00.000Z', 'the last day of a month with 30'],
  ['2026-11-30T12:00:00.000Z', '2027-01-30T12:00:00.000Z', 'over the end of a year'],
])('two months after %s it is %s: %s', (from, expiry) => {
  expect(defaultExpiry(new Date(from))).toEqual(new Date(expiry));
});
