import { generateKeyPairSync } from 'node:crypto';
import { createVerifier } from 'fast-jwt';
import { isApnsKey, ProviderToken } from './provider-token';

const MINUTES = 60_000;
const NOON = Date.parse('2026-03-01T12:00:00Z');
const { privateKey, publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

function tokenAt(nowMs: number) {
  const clock = { nowMs };
  return { clock, token: new ProviderToken({ key: privateKey, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' }, () => clock.nowMs) };
}

it('is a JWT of the team, signed with the key', () => {
  const { token } = tokenAt(NOON);
  const verify = createVerifier({ key: publicKey, algorithms: ['ES256'], complete: true, clockTimestamp: NOON });

  expect(verify(token.text)).toMatchObject({
    header: { alg: 'ES256', kid: 'ABC123DEFG' },
    payload: { iss: 'DEF123GHIJ', iat: NOON / 1_000 },
  });
});

it('is the same for 40 minutes', () => {
  const { clock, token } = tokenAt(NOON);
  const first = token.text;
  clock.nowMs = NOON + 40 * MINUTES - 1;
  expect(token.text).toBe(first);
  clock.nowMs = NOON + 40 * MINUTES;
  expect(token.text).not.toBe(first);
});

it('is made anew where the clock was set back', () => {
  const { clock, token } = tokenAt(NOON);
  const first = token.text;
  clock.nowMs = NOON - 60 * MINUTES;
  expect(token.text).not.toBe(first);
});

it('is renewed when it was refused, once for all calls, and never twice within 20 minutes', () => {
  const { clock, token } = tokenAt(NOON);
  const first = token.text;
  clock.nowMs = NOON + 20 * MINUTES - 1;
  expect(token.renew(first)).toBe(false);

  clock.nowMs = NOON + 20 * MINUTES;
  expect(token.renew(first)).toBe(true);
  const second = token.text;
  expect(second).not.toBe(first);
  expect(token.renew(first)).toBe(true);
  expect(token.text).toBe(second);
  expect(token.renew(second)).toBe(false);
});

it.each([
  ['a key of APNs', privateKey, true],
  ['a public key', publicKey, false],
  ['another curve', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' }), false],
  ['an RSA key', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }), false],
  ['no key', 'AuthKey', false],
])('accepts only the private key of an authentication key: %s', (_name, pem, expected) => {
  expect(isApnsKey(String(pem))).toBe(expected);
});
