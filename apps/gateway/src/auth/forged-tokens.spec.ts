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

describe('what is no token of ours', () => {
  const claims = () => ({ workspace_id: issuer.workspace_id, key_id: issuer.key_id });
  it.each<[string, () => string]>([
    [
      'signed by somebody else',
      () => signer.sign({ alg: 'EdDSA', kid: signer.id }, {}).replace(/[\w-]+$/, new TokenSigner().issue(issuer, SCOPE).split('.')[2]!),
    ],
    ['signed by a key that nobody knows', () => new TokenSigner().issue(issuer, SCOPE)],
    ['a stranger’s, with our key’s name', () => new TokenSigner().issue(issuer, SCOPE, { head: { kid: signer.id } })],
    ['without a signature', () => signer.issue(issuer, SCOPE).replace(/[\w-]+$/, 'AA')],
    ['changed after it was signed', () => forged(signer.issue(issuer, 'read:brands'), { scope: SCOPE })],
    ['of no algorithm', () => signer.issue(issuer, SCOPE, { head: { alg: 'none' } })],
    ['signed with the public key as a secret', () => confused()],
    ['without a key’s name', () => signer.issue(issuer, SCOPE, { head: { kid: undefined } })],
    ['with a path for a key’s name', () => signer.issue(issuer, SCOPE, { head: { kid: '../../etc/passwd' } })],
    ['of another issuer', () => signer.sign({ alg: 'EdDSA', kid: signer.id }, { ...claims(), iss: 'else' })],
    ['without claims', () => signer.sign({ alg: 'EdDSA', kid: signer.id }, {})],
    ['a number for claims', () => signer.sign({ alg: 'EdDSA', kid: signer.id }, 1)],
    ['without an end', () => signer.issue(issuer, SCOPE, { claims: { exp: undefined } })],
    ['with a text for its end', () => signer.issue(issuer, SCOPE, { claims: { exp: '9999999999' as unknown as number } })],
    ['no JSON', () => `eyJub3.${'bm8'}.bm8`],
    ['far too long', () => signer.issue(issuer, `${SCOPE} user_id:${'x'.repeat(9_000)}`)],
  ])('is refused, as it is each time: %s', async (_what, make) => {
    const token = make();
    for (let time = 0; time < 2; time += 1) {
      const words = await expectError(await get(token), 401, 'authentication_error');
      expect(words).toMatch(/^The token is not one that was issued here, or it was revoked$/);
    }
    expect(gateway.client.callsOf(things.get)).toHaveLength(0);
  });

  it('is asked about once a second, whatever a flood makes up', async () => {
    const flood = () => Promise.all(Array.from({ length: 50 }, () => get(new TokenSigner().issue(issuer, SCOPE))));

    const statuses = [...(await flood()), ...(await flood())].map(({ status }) => status);

    expect(new Set(statuses)).toEqual(new Set([401]));
    // More than once, since the second flood cannot be known from what was answered to the first.
    expectOnceASecond(gateway.client, issuedTokens.verificationKeys);
  });

  function forged(token: string, other: object): string {
    const [head, payload, signature] = token.split('.') as [string, string, string];
    const says = { ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), ...other };
    return `${head}.${Buffer.from(JSON.stringify(says)).toString('base64url')}.${signature}`;
  }

  function confused(): string {
    const [, payload] = signer.issue(issuer, SCOPE).split('.') as [string, string];
    const signed = `${Buffer.from(JSON.stringify({ alg: 'HS256', kid: signer.id })).toString('base64url')}.${payload}`;
    return `${signed}.${createHmac('sha256', signer.verificationKey.public_key).update(signed).digest('base64url')}`;
  }
});
