import { randomBytes } from 'node:crypto';
import { seal, unseal } from './secret-box';

const [key, other] = [randomBytes(32), randomBytes(32)];
const secret = Buffer.from('confidential text');

it('is opened by the key that sealed it, at any position among several', () => {
  const sealed = seal(secret, 'one', key);

  expect(sealed.includes(secret)).toBe(false);
  expect(unseal(sealed, 'one', [other, key])).toEqual(secret);
});

it('is different each time', () => {
  expect(seal(secret, 'one', key)).not.toEqual(seal(secret, 'one', key));
});

it.each([
  ['by other keys', () => unseal(seal(secret, 'one', key), 'one', [other])],
  ['without keys', () => unseal(seal(secret, 'one', key), 'one', [])],
  ['under another name', () => unseal(seal(secret, 'one', key), 'two', [key])],
  ['when it is cut off', () => unseal(seal(secret, 'one', key).subarray(0, 20), 'one', [key])],
  [
    'when one bit of it changed',
    () => {
      const sealed = seal(secret, 'one', key);
      sealed[sealed.length - 1]! ^= 1;
      return unseal(sealed, 'one', [key]);
    },
  ],
])('is not opened %s', (_how, attempt) => {
  expect(attempt()).toBeUndefined();
});
