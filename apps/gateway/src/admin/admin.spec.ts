import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { eventTopics } from '@tidings/contracts/identity/event-topics';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { hashedKey } from '@tidings/contracts/identity/api-key';
import { type CreatedKey, keys, type RotatedKey } from '@tidings/contracts/identity/keys';
import { limits } from '@tidings/contracts/identity/limits';
import { senders } from '@tidings/contracts/messaging/senders';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { expectError } from '../testing/expect-error';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { REFUSALS_WAITING_MAX } from '../auth/delayed-refusals';
import { AdminAuthenticator } from './admin-authenticator';
import { adminOperations } from './admin-operations';

const ADMIN_KEY = 'an-operators-key-of-32-characters-or-more';
const ALICE_KEY = 'a-key-of-alice-of-32-characters-or-more';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ adminKey: ADMIN_KEY, adminKeys: [{ name: 'alice', key: ALICE_KEY }] });
});
afterAll(() => gateway.stop());

const request = (method: string, path: string, body?: unknown, credential = ADMIN_KEY): Promise<Response> =>
  fetch(`${gateway.url}/admin${path}`, {
    method,
    headers: {
      ...(credential && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const W = randomUUID();
const K = randomUUID();

describe("the operators' interface", () => {
  it.each([
    ['GET', '/workspaces?limit=2&name=a', undefined, workspaces.page, { limit: 2, name: 'a' }, 200, SYSTEM_WORKSPACE_ID],
    [
      'POST',
      '/workspaces',
      { name: 'a', account_email: 'a@example.com' },
      workspaces.create,
      { name: 'a', account_email: 'a@example.com' },
      201,
      SYSTEM_WORKSPACE_ID,
    ],
    ['GET', `/workspaces/${W}/keys?cursor=x`, undefined, keys.page, { cursor: 'x' }, 200, W],
    ['GET', `/workspaces/${W}/limits`, undefined, limits.retrieve, {}, 200, W],
    ['PATCH', `/workspaces/${W}/limits`, { rate_limit: null, lists: 5 }, limits.change, { rate_limit: null, lists: 5 }, 200, W],
    ['PATCH', `/workspaces/${W}/keys/${K}/limit`, { rate_limit: '5/s' }, limits.changeKey, { key_id: K, rate_limit: '5/s' }, 200, W],
    ['DELETE', `/workspaces/${W}/keys/${K}`, undefined, keys.revoke, { key_id: K }, 204, W],
    ['POST', '/events/skip-unverified', { topic: 't' }, eventTopics.skipUnverified, { topic: 't' }, 204, SYSTEM_WORKSPACE_ID],
    ['GET', `/workspaces/${W}/senders`, undefined, senders.retrieve, {}, 200, W],
    ['PUT', `/workspaces/${W}/senders`, { domains: ['a.example'] }, senders.replace, { domains: ['a.example'] }, 200, W],
    ['POST', '/signing-keys/rotate', { revoke_issued: true }, issuedTokens.rotateKey, { revoke_issued: true }, 201, SYSTEM_WORKSPACE_ID],
  ] as const)('forwards %s %s', async (method, path, body, operation, expected, status, workspaceId) => {
    gateway.client.answer(operation, () => (status === 204 ? undefined : { answered: true }));

    const answer = await request(method, path, body);

    expect([answer.status, await answer.text()]).toEqual([status, status === 204 ? '' : '{"answered":true}']);
    const call = gateway.client.callsOf(operation).at(-1)!;
    expect(call.request).toEqual(expected);
    expect(call.context.workspaceId).toBe(workspaceId);
  });

  it.each([
    ['admin', ADMIN_KEY],
    ['alice', ALICE_KEY],
  ])('knows the operator %s by the key', async (id, key) => {
    gateway.client.answer(keys.revoke, () => undefined);

    expect((await request('DELETE', `/workspaces/${W}/keys/${K}`, undefined, key)).status).toBe(204);
    expect(gateway.client.callsOf(keys.revoke).at(-1)!.context.actor).toEqual({ type: 'operator', id });
  });

  it('is served with named operators alone', async () => {
    const named = await startTestGateway({ adminKeys: [{ name: 'alice', key: ALICE_KEY }] });
    try {
      for (const [key, status] of [
        [ALICE_KEY, 200],
        [ADMIN_KEY, 401],
      ] as const) {
        expect((await fetch(`${named.url}/admin/openapi.json`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(status);
      }
    } finally {
      await named.stop();
    }
  });

  it('makes a key itself: identity gets its hash and its end', async () => {
    gateway.client.answer(keys.create, () => ({ key_id: K }));
    gateway.client.answer(keys.rotate, () => ({ key_id: K, mode: 'test', previous_valid_until: 'soon' }));

    const created = await request('POST', `/workspaces/${W}/keys`, { mode: 'production', name: 'n' });
    const rotated = await request('POST', `/workspaces/${W}/keys/${K}/rotate`, { overlap: '1h' });

    const { key } = (await created.json()) as CreatedKey;
    expect([created.status, key]).toEqual([201, expect.stringMatching(/^pk_prod_\w{43}$/)]);
    const { request: sent, context } = gateway.client.callsOf(keys.create).at(-1)!;
    expect([sent, context.workspaceId]).toEqual([{ mode: 'production', name: 'n', ...hashedKey(key) }, W]);
    const { key: next, ...others } = (await rotated.json()) as RotatedKey;
    expect([rotated.status, next, others]).toEqual([
      201,
      expect.stringMatching(/^pk_test_\w{43}$/),
      { key_id: K, previous_valid_until: 'soon' },
    ]);
    const { hash: test_hash, hint } = hashedKey(next);
    expect(gateway.client.callsOf(keys.rotate).at(-1)!.request).toEqual({
      key_id: K,
      overlap: '1h',
      test_hash,
      production_hash: hashedKey(next.replace('_test_', '_prod_')).hash,
      hint,
    });
  });

  it('refuses invalid requests', async () => {
    await expectError(await request('POST', '/workspaces', { name: 'a' }), 400);
    expect(await expectError(await request('POST', '/workspaces', { name: 'a', account_email: 'ops' }), 400)).toBe(
      'account_email must be one e-mail address, such as ops@example.com (got "ops")',
    );
    expect(await expectError(await request('POST', `/workspaces/${W}/keys`, { mode: 'test', recipients: ['ada', ''] }), 400)).toBe(
      'recipients[1] must be a user id, an e-mail address or a phone number, of 1 to 512 characters (got "")',
    );
    expect(await expectError(await request('POST', `/workspaces/${W}/keys`, { mode: 'test', key: 'of my own' }), 400)).toBe(
      'key is not a known field: known are mode, name, scopes, recipients, expires_at',
    );
    await expectError(await request('POST', '/workspaces', { name: 'a\0', account_email: 'a@example.com' }), 400);
    await expectError(await request('GET', '/workspaces/no-uuid/keys'), 404);
    await expectError(await request('DELETE', `/workspaces/${W}/keys/no-uuid`), 400);
    await expectError(await request('GET', '/else'), 404);
    await expectError(await request('PUT', '/workspaces'), 405);
  });

  it('describes itself to operators alone', async () => {
    const answer = await request('GET', '/openapi.json');
    const { paths, security } = (await answer.json()) as { paths: Record<string, object>; security: object[] };
    expect(security).toEqual([{ bearer: [] }]);

    expect(Object.values(paths).flatMap((verbs) => Object.keys(verbs))).toHaveLength(adminOperations.length);
    const refusal = await expectError(await request('GET', '/openapi.json', undefined, ''), 401, 'authentication_error');
    expect(refusal).toContain("with the gateway's TIDINGS_ADMIN_KEY or a key of its TIDINGS_ADMIN_KEYS");
    const open = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(Object.keys(open.paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
  });

  it.each([
    ['no key', ''],
    ['a client’s key', KEY],
    ['a truncated key', ADMIN_KEY.slice(0, -1)],
    ['a key with a suffix', `${ADMIN_KEY}x`],
  ])('refuses %s before it reads a body', async (_what, credential) => {
    const calls = gateway.client.calls.length;

    await expectError(await request('POST', '/workspaces', '{not json', credential), 401, 'authentication_error');
    expect(gateway.client.calls).toHaveLength(calls);
  });

  it('has a key that is not valid for the clients’ interface', async () => {
    const answer = await fetch(`${gateway.url}/things/one`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });

    await expectError(answer, 401, 'authentication_error');
  });

  it('allows no page of another origin', async () => {
    const from = (origin: string): Promise<Response> =>
      fetch(`${gateway.url}/admin/workspaces`, { headers: { authorization: `Bearer ${ADMIN_KEY}`, origin } });
    const calls = gateway.client.calls.length;

    const answer = await from('https://elsewhere.example');

    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    await expectError(answer, 403, 'authorization_error');
    expect(gateway.client.calls).toHaveLength(calls);
    expect((await from(gateway.url)).status).toBe(200);
  });
});

it.each(['/%61dmin/workspaces', '//admin/workspaces', '/admin%2Fworkspaces'])('answers 404 to another spelling: %s', async (path) => {
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });

  expect(response.status).toBe(404);
});

describe('guessed keys', () => {
  it('are answered late and in bounded number, while the right key is answered at once', async () => {
    const authenticator = new AdminAuthenticator([{ name: 'admin', key: ADMIN_KEY }], 300);
    const startedAt = performance.now();
    const guesses = Array.from({ length: REFUSALS_WAITING_MAX }, (_, index) => authenticator.admit(`Bearer guess-${index}`));
    const settled = Promise.allSettled(guesses);

    await expect(authenticator.admit('Bearer one more')).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(authenticator.admit(`Bearer ${ADMIN_KEY}`)).resolves.toBe('admin');
    for (const outcome of await settled) expect(outcome).toMatchObject({ reason: { code: 'unauthenticated' } });

    expect(performance.now() - startedAt).toBeGreaterThan(290);
    await expect(authenticator.admit(`bearer  ${ADMIN_KEY} `)).resolves.toBe('admin');
  });

  it('never match a short key: the gateway refuses one', async () => {
    Logger.overrideLogger(false);
    await expect(startTestGateway({ adminKey: 'x'.repeat(31) })).rejects.toThrow('at least 32 characters');
  });
});

describe('without a key for operators', () => {
  it.each(['/admin', '/admin/workspaces', '/admin/openapi.json'])('%s is not served, and names the variable to set', async (path) => {
    const closed = await startTestGateway();
    try {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`${closed.url}${path}`, { method, headers: { authorization: `Bearer ${ADMIN_KEY}` } });
        expect(await expectError(answer, 501)).toContain('TIDINGS_ADMIN_KEY');
      }
    } finally {
      await closed.stop();
    }
  });
});
