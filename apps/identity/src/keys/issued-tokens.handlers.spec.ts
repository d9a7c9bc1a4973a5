import { createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { KEY_RETENTION_MS_MIN, RequestKey } from '@tidings/contracts/core/idempotency';
import { type IssueToken, issuedTokens, type TokenClaims, TOKEN_SCOPES } from '@tidings/contracts/identity/issued-tokens';
import { keys } from '@tidings/contracts/identity/keys';
import { sealingKeyIdIn } from '@tidings/persistence/sealing';
import { keyIdOf } from '@tidings/runtime/secret-box';
import { contextOf } from '@tidings/testing/context-of';
import { buildWorkspace, createKey, type RunningIdentity, startIdentity } from '../testing/start-identity';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

const SECRET_KEY = randomBytes(32);

let identity: RunningIdentity;
let workspace_id: string;
let key_id: string;

beforeAll(async () => {
  identity = await startIdentity({ secretKeys: [SECRET_KEY] });
  ({ workspace_id, key_id } = await buildWorkspace(identity));
});
afterAll(() => identity.stop());

const issue = async (overrides: Partial<IssueToken & { key_id: string }> = {}): Promise<string> => {
  const request = { scope: 'user_id:ada read:messages', expires_in: '1 hour', key_id, ...overrides };
  return (await identity.call(issuedTokens.sign, contextOf(workspace_id), request)).token;
};
const claimsOf = (token: string): TokenClaims => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as TokenClaims;
const signerOf = (token: string): string => (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;

/** Whether a gateway accepts the signature now. */
async function isValid(token: string): Promise<boolean> {
  const { keys: verificationKeys } = await identity.call(issuedTokens.verificationKeys, systemContext(randomUUID()), {});
  const signer = verificationKeys.find((key) => key.key_id === signerOf(token));
  if (!signer) return false;
  const [head, claims, signature] = token.split('.') as [string, string, string];
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: signer.public_key }, format: 'jwk' });
  return verify(null, Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'));
}

describe('an issued token', () => {
  it('contains its workspace, users, scopes and expiry, and is signed', async () => {
    const before = Math.floor(Date.now() / 1000);
    const token = await issue({ scope: ' user_id:ada  user_id:a:b read:messages read:messages', expires_in: '2 hours' });

    const claims = claimsOf(token);
    expect(claims).toMatchObject({
      iss: 'tidings',
      workspace_id,
      key_id,
      mode: 'production',
      scope: 'user_id:ada user_id:a:b read:messages',
    });
    expect(claims.iat).toBeGreaterThanOrEqual(before);
    expect([7_200, 7_201]).toContain(claims.exp - claims.iat);
    expect(await isValid(token)).toBe(true);
  });

  it('differs each time', async () => {
    const tokens = [await issue(), await issue()];

    expect(new Set(tokens.map((token) => claimsOf(token).jti)).size).toBe(2);
  });

  it('is the same for the same Idempotency-Key, and the stored claims are not a token', async () => {
    const keyed = async (key: string): Promise<{ token: string; replayed: boolean }> => {
      const requestKey = new RequestKey(key, Date.now() + KEY_RETENTION_MS_MIN);
      const context = { ...contextOf(workspace_id), requestKey };
      const request = { scope: 'user_id:ada read:messages', expires_in: '1 hour', key_id };
      const { token } = await identity.call(issuedTokens.sign, context, request);
      return { token, replayed: requestKey.replayed };
    };
    const key = randomUUID();

    const [first, second, other] = [await keyed(key), await keyed(key), await keyed(randomUUID())];

    expect(second).toEqual({ token: first.token, replayed: true });
    expect([first.replayed, other.token === first.token]).toEqual([false, false]);
    const [stored] = await identity.sql<{ text: string }>('select idempotency_keys::text as text from idempotency_keys where id = $1', [
      key,
    ]);
    expect(stored!.text).toContain(claimsOf(first.token).jti);
    for (const part of first.token.split('.')) expect(stored!.text).not.toContain(part);
  });

  it('has the mode of the key that issues it', async () => {
    const test = await createKey(identity, contextOf(workspace_id), { mode: 'test' });

    expect(claimsOf(await issue({ key_id: test.key_id })).mode).toBe('test');
  });

  it.each(TOKEN_SCOPES)('may be allowed %s', async (scope) => {
    expect(claimsOf(await issue({ scope: `user_id:ada ${scope}` })).scope).toBe(`user_id:ada ${scope}`);
  });

  it.each([
    ['an unknown scope', { scope: 'user_id:ada read:everything' }, 'scope "read:everything" does not exist'],
    ['a scope of API keys alone', { scope: 'write:send' }, 'scope "write:send" does not exist'],
    ['users alone', { scope: 'user_id:ada' }, 'scope must allow something'],
    ['no time', { expires_in: 'soon' }, 'expires_in must be a number and a unit'],
    ['too short a time', { expires_in: '0s' }, 'expires_in must be between 1 second and 1 year'],
    ['too long a time', { expires_in: '2 years' }, 'expires_in must be between 1 second and 1 year'],
    ['a scope that fits into no header', { scope: `read:messages user_id:${'ü'.repeat(4_000)}` }, 'must not have more than 4096 bytes'],
    ['text that cannot be signed', { scope: 'read:messages user_id:\ud800' }, 'surrogate'],
  ])('is not issued with %s', async (_what, request, message) => {
    await expect(issue(request)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(message) as string });
  });

  it('cannot have a scope that its API key lacks', async () => {
    const scopes = ['write:issued-tokens', 'read:messages'];
    const narrow = await createKey(identity, contextOf(workspace_id), { mode: 'production', scopes });

    await expect(issue({ key_id: narrow.key_id })).resolves.toBeTruthy();
    await expect(issue({ key_id: narrow.key_id, scope: 'user_id:ada read:preferences' })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'The API key lacks the scope read:preferences, so it cannot grant it',
    });
  });

  it('is not issued by a key that was revoked', async () => {
    const revoked = await createKey(identity, contextOf(workspace_id), { mode: 'production' });
    await identity.call(keys.revoke, contextOf(workspace_id), { key_id: revoked.key_id });

    await expect(issue({ key_id: revoked.key_id })).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('the signing key', () => {
  beforeEach(() => identity.sql('delete from identity.signing_keys', []));

  it('is the same for concurrent first signatures', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => issue()));

    expect(new Set(tokens.map(signerOf)).size).toBe(1);
    for (const token of tokens) expect(await isValid(token)).toBe(true);
  });

  it('is encrypted in the database', async () => {
    await issue();

    const [row] = await identity.sql<{ private_key: Buffer; sealed: boolean; key_id: string }>(
      'select private_key, sealed, key_id from identity.signing_keys',
      [],
    );

    expect(row).toMatchObject({ sealed: true, key_id: keyIdOf(SECRET_KEY) });
    expect(row!.private_key.includes('PRIVATE KEY')).toBe(false); // as PEM has it
  });

  it('can be replaced: issued tokens stay valid, new ones have the new key, and gateways are notified', async () => {
    const before = await issue();

    const { key_id: next } = await identity.call(issuedTokens.rotateKey, systemContext(randomUUID()), {});

    const after = await issue();
    expect([signerOf(after), signerOf(before) !== next]).toEqual([next, true]);
    expect([await isValid(before), await isValid(after)]).toEqual([true, true]);
    await identity.awaitAccessChanges(next);
    await expect(
      identity.sql('select id from identity.signing_keys where id = $1 and private_key is not null', [signerOf(before)]),
    ).resolves.toEqual([]);
  });

  it('can be replaced together with everything it signed', async () => {
    const before = await issue();

    await identity.call(issuedTokens.rotateKey, systemContext(randomUUID()), { revoke_issued: true });

    expect([await isValid(before), await isValid(await issue())]).toEqual([false, true]);
    await identity.awaitAccessChanges(signerOf(before));
  });

  it('is one key after concurrent replacements', async () => {
    await Promise.all(Array.from({ length: 5 }, () => identity.call(issuedTokens.rotateKey, systemContext(randomUUID()), {})));

    await expect(identity.sql('select id from identity.signing_keys where retired_at is null', [])).resolves.toHaveLength(1);
    await expect(identity.sql('select id from identity.signing_keys', [])).resolves.toHaveLength(5);
  });

  it('is deleted after its retirement once every token it signed has expired', async () => {
    const token = await issue();
    await identity.call(issuedTokens.rotateKey, systemContext(randomUUID()), {});
    await identity.sql(`update identity.signing_keys set retired_at = now() - interval '367 days' where id = $1`, [signerOf(token)]);

    expect(await isValid(token)).toBe(false);
    await identity.call(issuedTokens.rotateKey, systemContext(randomUUID()), {});

    await expect(identity.sql('select id from identity.signing_keys where id = $1', [signerOf(token)])).resolves.toEqual([]);
  });

  it('cannot sign while it is encrypted with a secret key that is not configured, until it is replaced', async () => {
    await issue();
    const replace = `update identity.signing_keys set private_key = decode(repeat('00', 80), 'hex'), key_id = $1 returning id`;
    const [row] = await identity.sql<{ id: string }>(replace, ['fedcba9876543210']);

    await expect(issue()).rejects.toMatchObject({
      code: 'unavailable',
      message:
        `Tokens cannot be issued right now: signing key ${row!.id} was sealed with the key fedcba9876543210, and no key of ` +
        'TIDINGS_SECRET_KEY opens it. Add the key that sealed it, or rotate the signing keys',
    });
    await identity.call(issuedTokens.rotateKey, systemContext(randomUUID()), {});

    await expect(issue()).resolves.toBeTruthy();
  });
});

it('leaves the id of the secret key in the database, for a start whose key is lost', async () => {
  await waitUntil(async () => (await sealingKeyIdIn(identity.adminUrl, 'identity')) === keyIdOf(SECRET_KEY));
  await expect(sealingKeyIdIn(identity.adminUrl, 'content')).resolves.toBeUndefined();
});

describeWorkspaceIsolation('an API key that issues tokens', {
  arrange: async () => {},
  read: async () => (await issue()).length > 0,
  attempts: {
    issuing: {
      attempt: (stranger) => identity.call(issuedTokens.sign, stranger, { scope: 'read:messages', expires_in: '1h', key_id }),
      refusedWith: 'unauthenticated',
    },
  },
});
