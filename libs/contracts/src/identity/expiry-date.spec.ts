import { readExpiryDate } from './expiry-date';

it.each([false, 'false'])('reads %j as never', (never) => {
  expect(readExpiryDate(never)).toBe(false);
});

it('reads a date as its beginning in UTC', () => {
  expect(readExpiryDate('2030-05-01')).toEqual(new Date('2030-05-01T00:00:00.000Z'));
});

it.each([true, 'true', 'never', null, undefined])('refuses %j', (value) => {
  expect(readExpiryDate(value)).toBeUndefined();
});
