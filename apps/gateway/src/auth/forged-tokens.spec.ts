import { createHmac } from 'node:crypto';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { expectError } from '../testing/expect-error';
import { expectOnceASecond } from '../testing/expect-once-a-second';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { things } from '../testing/test-operations';
import { TokenSigner } from '../testing/token-signer';

const SCOPE = 'read:things';

let gateway: TestGateway;
let issuer: VerifiedKey;
let signer: TokenSigner;
beforeEach(async () => {
  gateway = await startTestGateway();
  issuer = gateway.client.addKey('issuer');
  [signer] = gateway.client.signers as [TokenSigner];
});
afterEach(() => gateway.stop());

const get = (token: string): Promise<Response> => fetch(`${gateway.url}/things/one`, { headers: { authorization: `Bearer ${token}` } });

describe('an invalid token', () => {
  const claims = () => ({ workspace_id: issuer.workspace_id, key_id: issuer.key_id });
  it.each<[string, () => string]>([
    [
      'with the signature of another key',
      () => signer.sign({ alg: 'EdDSA', kid: signer.id }, {}).replace(/[\w-]+$/, new TokenSigner().issue(issuer, SCOPE).split('.')[2]!),
    ],
    ['signed by an unknown key', () => new TokenSigner().issue(issuer, SCOPE)],
    ['signed by an unknown key under the id of a valid one', () => new TokenSigner().issue(issuer, SCOPE, { head: { kid: signer.id } })],
    ['without a signature', () => signer.issue(issuer, SCOPE).replace(/[\w-]+$/, 'AA')],
    ['changed after it was signed', () => forged(signer.issue(issuer, 'read:brands'), { scope: SCOPE })],
    ['without an algorithm', () => signer.issue(issuer, SCOPE, { head: { alg: 'none' } })],
    ['signed with the public key as a secret', () => confused()],
    ['without a key id', () => signer.issue(issuer, SCOPE, { head: { kid: undefined } })],
    ['with a path as key id', () => signer.issue(issuer, SCOPE, { head: { kid: '../../etc/passwd' } })],
    ['of another issuer', () => signer.sign({ alg: 'EdDSA', kid: signer.id }, { ...claims(), iss: 'else' })],
    ['without claims', () => signer.sign({ alg: 'EdDSA', kid: signer.id }, {})],
    ['with a number as claims', () => signer.sign({ alg: 'EdDSA', kid: signer.id }, 1)],
    ['without an expiry', () => signer.issue(issuer, SCOPE, { claims: { exp: undefined } })],
    ['with a text as expiry', () => signer.issue(issuer, SCOPE, { claims: { exp: '9999999999' as unknown as number } })],
    ['without JSON', () => `eyJub3.${'bm8'}.bm8`],
    ['of excessive length', () => signer.issue(issuer, `${SCOPE} user_id:${'x'.repeat(9_000)}`)],
  ])('is refused each time: %s', async (_what, create) => {
    const token = create();
    for (let time = 0; time < 2; time += 1) {
      const words = await expectError(await get(token), 401, 'authentication_error');
      expect(words).toMatch(/^The token is not one that was issued here, or it was revoked$/);
    }
    expect(gateway.client.callsOf(things.get)).toHaveLength(0);
  });

  it('causes one load of the keys per second, whatever their number', async () => {
    const flood = () => Promise.all(Array.from({ length: 50 }, () => get(new TokenSigner().issue(issuer, SCOPE))));

    const statuses = [...(await flood()), ...(await flood())].map(({ status }) => status);

    expect(new Set(statuses)).toEqual(new Set([401]));
    // More than once, since the first answer does not cover the keys of the second flood.
    expectOnceASecond(gateway.client, issuedTokens.verificationKeys);
  });

  function forged(token: string, other: object): string {
    const [head, payload, signature] = token.split('.') as [string, string, string];
    const content = { ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), ...other };
    return `${head}.${Buffer.from(JSON.stringify(content)).toString('base64url')}.${signature}`;
  }

  function confused(): string {
    const [, payload] = signer.issue(issuer, SCOPE).split('.') as [string, string];
    const signed = `${Buffer.from(JSON.stringify({ alg: 'HS256', kid: signer.id })).toString('base64url')}.${payload}`;
    return `${signed}.${createHmac('sha256', signer.verificationKey.public_key).update(signed).digest('base64url')}`;
  }
});
