import { isNoAddress } from './no-address';

it.each([
  [550, '5.1.1', true],
  [554, '5.2.1', true],
  [550, undefined, true],
  [553, '', true],
  [550, '5.0.0', true],
  [554, undefined, false],
  [550, '5.7.1', false],
  [550, '5.7.26', false],
  [550, '5.4.1', false],
  [550, '5.1.7', false],
  [553, '5.1.8', false],
  [NaN, undefined, false],
])('the refusal %d %s says that the address does not exist: %s', (code, status, expected) => {
  expect(isNoAddress(code, status)).toBe(expected);
});
