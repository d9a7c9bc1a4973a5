import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { auth, issuedTokens, USER_BOUND_SCOPES } from '@tidings/contracts/identity/issued-tokens';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { messages } from '@tidings/contracts/messaging/messages';
import { operations } from '@tidings/contracts/registry';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import type { TokenSigner } from '../testing/token-signer';

const USER = 'ada';
const routed = operations.filter(({ path }) => path !== undefined);
/** The operations that need a scope: `any` needs a credential, `none` not even that. */
const scoped = routed.filter(({ scope }) => scope !== 'any' && scope !== 'none');

let gateway: TestGateway;
let issuer: VerifiedKey;
let signer: TokenSigner;
beforeAll(async () => {
  gateway = await startTestGateway({ operations: undefined, notServed: undefined });
  issuer = gateway.client.addKey('everything');
  [signer] = gateway.client.signers as [TokenSigner];
  for (const operation of routed) gateway.client.answer(operation, () => ({ recipient: USER }));
});
afterAll(() => gateway.stop());

/** Calls the operation's route with `USER` for every path parameter except the part of an output, which is an enumeration. */
function call({ method, path }: AnyOperation, credential: string, query = ''): Promise<Response> {
  const url = `${gateway.url}${path!.replace(/:part\b/, 'html').replace(/[:*]\w+/g, USER)}${query}`;
  return fetch(url, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    ...(method !== 'GET' && method !== 'DELETE' && { body: '{}' }),
  });
}

const others = (scope: string): string => [...new Set(routed.map((operation) => operation.scope))].filter((one) => one !== scope).join(' ');

describe.each(scoped.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))('%s', (_route, operation) => {
  const { scope } = operation;

  it('refuses a token with every scope but its own, and names that', async () => {
    const answer = await call(operation, signer.issue(issuer, `user_id:${USER} ${others(scope)}`));

    expect(await expectError(answer, 403, 'authorization_error')).toContain(scope);
  });

  it('refuses an API key with every scope but its own', async () => {
    gateway.client.addKey(`all but ${scope}`.replaceAll(' ', '-'), { scopes: others(scope).split(' ') });

    await expectError(await call(operation, `all but ${scope}`.replaceAll(' ', '-')), 403, 'authorization_error');
  });

  it('accepts a token and an API key with its scope', async () => {
    gateway.client.addKey(`only-${scope}`, { scopes: [scope] });
    const query = operation.path === '/messages' ? `?recipient=${USER}` : '';

    // The requests may be invalid, but the caller is accepted.
    expect([401, 403]).not.toContain((await call(operation, signer.issue(issuer, `user_id:${USER} ${scope}`), query)).status);
    expect([401, 403]).not.toContain((await call(operation, `only-${scope}`)).status);
  });
});

it.each(
  routed
    .filter((operation) => !scoped.includes(operation))
    .map((operation) => [`${operation.method} ${operation.path}`, operation] as const),
)('%s needs no scope, and a credential unless it is of the sign-in', async (_route, operation) => {
  gateway.client.addKey('of-no-use', { scopes: [] });

  expect([401, 403]).not.toContain((await call(operation, 'of-no-use')).status);
  expect([401, 403]).not.toContain((await call(operation, signer.issue(issuer, `user_id:${USER}`))).status);
  expect((await call(operation, 'unknown')).status === 401).toBe(operation.scope === 'any');
});

const bound = routed.filter(({ scope }) => USER_BOUND_SCOPES.has(scope));
describe.each(bound.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  '%s of a user',
  (_route, operation) => {
    it.each([
      ['another user alone', 'user_id:eve'],
      ['a user whose id begins with this one', `user_id:${USER}m`],
      ['no user', ''],
    ])('refuses a token of %s', async (_what, users) => {
      const query = operation.path === '/messages' ? `?recipient=${USER}` : '';
      const answer = await call(operation, signer.issue(issuer, `${users} ${operation.scope}`.trim()), query);

      const words = await expectError(answer, 403, 'authorization_error');
      if (operation.ofUserAnswered)
        expect(words).not.toContain(USER); // the owner is not revealed
      else expect(words).toContain(`user_id:${USER}`);
    });
  },
);

it('covers routes with data of users', () => {
  expect(bound.length).toBeGreaterThan(0);
});

describe('the messages that a token lists', () => {
  const listed = (): unknown => gateway.client.callsOf(messages.list).at(-1)?.request.recipient;

  it('are those of its user, with and without a filter', async () => {
    const token = signer.issue(issuer, `user_id:${USER} read:messages`);

    expect((await call(messages.list, token)).status).toBe(200);
    expect(listed()).toBe(USER);
    expect((await call(messages.list, token, `?recipient=${USER}`)).status).toBe(200);
    await expectError(await call(messages.list, token, '?recipient=eve'), 403, 'authorization_error');
  });

  it('are those of one of its users, who must be named', async () => {
    const token = signer.issue(issuer, `user_id:${USER} user_id:bob read:messages`);

    expect((await call(messages.list, token, '?recipient=bob')).status).toBe(200);
    expect(listed()).toBe('bob');
    expect(await expectError(await call(messages.list, token), 403, 'authorization_error')).toBe(
      'The token names 2 users: name one of them in recipient',
    );
    await expectError(await call(messages.list, token, '?recipient=eve'), 403, 'authorization_error');
  });

  it('are all of them for an API key', async () => {
    expect((await call(messages.list, 'everything')).status).toBe(200);
    expect(listed()).toBeUndefined();
  });
});

it('does not load the history of a message of another user', async () => {
  const before = gateway.client.callsOf(messages.history).length;
  const answer = await call(messages.history, signer.issue(issuer, 'user_id:eve read:messages'));

  await expectError(answer, 403, 'authorization_error');
  expect(gateway.client.callsOf(messages.history)).toHaveLength(before);
});

it('issues tokens for API keys only, under the id of the requesting key', async () => {
  gateway.client.answer(issuedTokens.sign, () => ({ token: 'signed' }));
  const issue = (credential: string, more: object = {}): Promise<Response> =>
    fetch(`${gateway.url}/auth/issue-token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scope: 'read:messages', expires_in: '1h', ...more }),
    });

  const answer = await issue('everything');

  expect([answer.status, await answer.json()]).toEqual([200, { token: 'signed' }]);
  expect(gateway.client.callsOf(issuedTokens.sign).at(-1)).toMatchObject({
    context: { workspaceId: issuer.workspace_id },
    request: { scope: 'read:messages', expires_in: '1h', key_id: issuer.key_id },
  });
  expect(await expectError(await issue('everything', { key_id: 'of another key' }), 400)).toContain('key_id is not a known field');
  const all = signer.issue(issuer, others(auth.issueToken.scope));
  expect(await expectError(await issue(all), 403, 'authorization_error')).toContain('write:issued-tokens');
});
