import { randomUUID } from 'node:crypto';
import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { accessChanged, keys, type VerifiedKey } from '@tidings/contracts/identity/keys';
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

const get = (token: string, path = '/things/one'): Promise<Response> =>
  fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
const unavailable = (): never => {
  throw new ServiceError('unavailable', 'unavailable');
};
const changed = (workspaceId: string, keyId: string): Promise<void> =>
  gateway.events.append(accessChanged, [{ id: randomUUID(), payload: { workspaceId, keyId } }]);
const signerChanged = (): Promise<void> => changed(SYSTEM_WORKSPACE_ID, signer.id);

describe('a token', () => {
  it('is the actor of a call that changes something, with the first ten users that it names', async () => {
    const users = Array.from({ length: 12 }, (_, index) => `user-${index}`);
    const token = signer.issue(issuer, `${users.map((user) => `user_id:${user}`).join(' ')} write:things`);

    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    await fetch(`${gateway.url}/things/one`, { method: 'PUT', headers, body: '{}' });

    expect(gateway.client.callsOf(things.put)[0]!.context.actor).toEqual({ type: 'token', id: issuer.key_id, users: users.slice(0, 10) });
  });

  it('gives access to the workspace of its issuing key, with its own scopes', async () => {
    const token = signer.issue(issuer, `user_id:ada ${SCOPE}`);

    expect((await get(token)).status).toBe(200);
    expect(gateway.client.callsOf(things.get)[0]!.context).toMatchObject({
      workspaceId: issuer.workspace_id,
      scopes: ['user_id:ada', SCOPE],
      mode: 'production',
      keyId: issuer.key_id,
      isToken: true,
    });
  });

  it('may be sent by Basic authentication, with the account of its key', async () => {
    const token = signer.issue(issuer, SCOPE);
    const basic = (email: string): Promise<Response> =>
      fetch(`${gateway.url}/things/one`, { headers: { authorization: `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}` } });

    expect((await basic('owner@example.com')).status).toBe(200);
    await expectError(await basic('else@example.com'), 401, 'authentication_error');
  });

  it('costs one call for the signing keys and one for the issuer, also for many tokens and requests', async () => {
    const tokens = Array.from({ length: 20 }, (_, index) => signer.issue(issuer, `user_id:${index} ${SCOPE}`));

    for (let time = 0; time < 2; time += 1) await Promise.all(tokens.map((token) => get(token)));

    expect(gateway.client.callsOf(issuedTokens.verificationKeys)).toHaveLength(1);
    expect(gateway.client.callsOf(keys.inspect)).toHaveLength(1);
    expect(gateway.client.callsOf(keys.verify)).toHaveLength(0);
  });

  it('is refused once it expires, although it was valid before', async () => {
    const token = signer.issue(issuer, SCOPE);
    expect((await get(token)).status).toBe(200);
    const later = Date.now() + 3_600_000;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => later);
    try {
      expect(await expectError(await get(token), 401, 'authentication_error')).toBe('The token has expired');
    } finally {
      clock.mockRestore();
    }
  });

  it('ends with the API key that issued it', async () => {
    const token = signer.issue(issuer, SCOPE);
    expect((await get(token)).status).toBe(200);

    gateway.client.revoke('issuer');
    await changed(issuer.workspace_id, issuer.key_id);

    expect(await expectError(await get(token), 401, 'authentication_error')).toBe(
      'The API key that issued the token has expired or was revoked',
    );
  });

  it('ends with the key that signed it, when that is revoked', async () => {
    const token = signer.issue(issuer, SCOPE);
    expect((await get(token)).status).toBe(200);

    gateway.client.signers = [new TokenSigner()];
    await signerChanged();

    await expectError(await get(new TokenSigner().issue(issuer, SCOPE)), 401, 'authentication_error');
    await expectError(await get(token), 401, 'authentication_error');
  });

  it('of a signing key newer than the last answer waits until the keys are loaded again', async () => {
    await get(signer.issue(issuer, SCOPE));
    const next = new TokenSigner();
    gateway.client.signers = [next, signer]; // without a change event

    const [valid, invented] = await Promise.all([get(next.issue(issuer, SCOPE)), get(new TokenSigner().issue(issuer, SCOPE))]);

    expect(valid.status).toBe(200);
    await expectError(invented, 401, 'authentication_error');
    expectOnceASecond(gateway.client, issuedTokens.verificationKeys);
  });

  it('is valid at once when a new key signs', async () => {
    await get(signer.issue(issuer, SCOPE));
    const next = new TokenSigner();
    gateway.client.signers = [next, signer];
    await changed(SYSTEM_WORKSPACE_ID, next.id);

    expect((await get(next.issue(issuer, SCOPE))).status).toBe(200);
    expect((await get(signer.issue(issuer, SCOPE))).status).toBe(200);
  });
});

describe('a token that cannot be verified now', () => {
  it.each([
    ['its signing key is not cached', issuedTokens.verificationKeys],
    ['its issuing key is not cached', keys.inspect],
  ])('is 503 with a retry delay, never 401, when identity is unavailable and %s', async (_what, operation) => {
    gateway.client.answer(operation, unavailable);
    const answer = await get(signer.issue(issuer, SCOPE));

    expect(answer.headers.get('retry-after')).toBe('1');
    await expectError(answer, 503, 'internal_error');
  });

  it('works again with the next request', async () => {
    const token = signer.issue(issuer, SCOPE);
    gateway.client.answer(issuedTokens.verificationKeys, unavailable);
    expect((await get(token)).status).toBe(503);
    gateway.client.answer(issuedTokens.verificationKeys, () => ({ keys: [signer.verificationKey] }));

    expect((await get(token)).status).toBe(200);
  });

  it('does not affect tokens of cached keys, new ones included', async () => {
    await get(signer.issue(issuer, SCOPE));
    gateway.client.answer(issuedTokens.verificationKeys, unavailable);
    gateway.client.answer(keys.inspect, unavailable);

    expect((await get(signer.issue(issuer, SCOPE))).status).toBe(200);
  });

  it('is not verified from the cache while changes may have been missed', async () => {
    const token = signer.issue(issuer, SCOPE);
    await get(token);
    gateway.events.interruptedMs = 1_001;
    gateway.client.answer(issuedTokens.verificationKeys, unavailable);

    expect((await get(token)).status).toBe(503);
  });

  it('is not verified from the cache once a change was signed with an unknown key', async () => {
    const token = signer.issue(issuer, SCOPE);
    expect((await get(token)).status).toBe(200);
    gateway.client.answer(issuedTokens.verificationKeys, () => ({ keys: [] }));

    gateway.events.missRecords();

    expect((await get(token)).status).toBe(401);
  });
});
