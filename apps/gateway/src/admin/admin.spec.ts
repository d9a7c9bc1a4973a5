import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { keys } from '@tidings/contracts/identity/keys';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { expectError } from '../testing/expect-error';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { AdminAuthenticator, REFUSALS_WAITING_MAX } from './admin-authenticator';
import { adminOperations } from './admin-operations';

const ADMIN_KEY = 'an-operators-key-of-32-characters-or-more';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ adminKey: ADMIN_KEY });
});
afterAll(() => gateway.stop());

const ask = (method: string, path: string, body?: unknown, credential = ADMIN_KEY): Promise<Response> =>
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
    ['POST', `/workspaces/${W}/keys`, { mode: 'test', name: 'n', key: 'of my own' }, keys.create, { mode: 'test', name: 'n' }, 201, W],
    ['POST', `/workspaces/${W}/keys/${K}/rotate`, { overlap: '1h' }, keys.rotate, { key_id: K, overlap: '1h' }, 201, W],
    ['DELETE', `/workspaces/${W}/keys/${K}`, undefined, keys.revoke, { key_id: K }, 204, W],
    ['POST', '/signing-keys/rotate', { revoke_issued: true }, issuedTokens.rotateKey, { revoke_issued: true }, 201, SYSTEM_WORKSPACE_ID],
  ] as const)('passes on %s %s', async (method, path, body, operation, request, status, workspaceId) => {
    gateway.client.answer(operation, () => (status === 204 ? undefined : { answered: true }));

    const answer = await ask(method, path, body);

    expect([answer.status, await answer.text()]).toEqual([status, status === 204 ? '' : '{"answered":true}']);
    const call = gateway.client.callsOf(operation).at(-1)!;
    expect(call.request).toEqual(request);
    expect(call.context.workspaceId).toBe(workspaceId);
  });

  it('says what is wrong with what it is asked', async () => {
    await expectError(await ask('POST', '/workspaces', { name: 'a' }), 400);
    await expectError(await ask('POST', '/workspaces', { name: 'a\0', account_email: 'a@example.com' }), 400);
    await expectError(await ask('GET', '/workspaces/no-uuid/keys'), 404);
    await expectError(await ask('DELETE', `/workspaces/${W}/keys/no-uuid`), 400);
    await expectError(await ask('GET', '/else'), 404);
    await expectError(await ask('PUT', '/workspaces'), 405);
  });

  it('describes itself to operators alone', async () => {
    const answer = await ask('GET', '/openapi.json');
    const { paths, security } = (await answer.json()) as { paths: Record<string, object>; security: object[] };
    expect(security).toEqual([{ bearer: [] }]);

    expect(Object.values(paths).flatMap((verbs) => Object.keys(verbs))).toHaveLength(adminOperations.length);
    await expectError(await ask('GET', '/openapi.json', undefined, ''), 401, 'authentication_error');
    const open = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(Object.keys(open.paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['a client’s key', KEY],
    ['the key without its end', ADMIN_KEY.slice(0, -1)],
    ['the key with something behind it', `${ADMIN_KEY}x`],
  ])('refuses %s, before a body is read', async (_what, credential) => {
    const calls = gateway.client.calls.length;

    await expectError(await ask('POST', '/workspaces', '{not json', credential), 401, 'authentication_error');
    expect(gateway.client.calls).toHaveLength(calls);
  });

  it('is no way in for the clients’ interface', async () => {
    const answer = await fetch(`${gateway.url}/things/one`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });

    await expectError(answer, 401, 'authentication_error');
  });

  it('lets no page of another origin read it', async () => {
    const answer = await fetch(`${gateway.url}/admin/workspaces`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, origin: 'https://elsewhere.example' },
    });

    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

it.each(['/%61dmin/workspaces', '//admin/workspaces', '/admin%2Fworkspaces'])('is not there under another spelling: %s', async (path) => {
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });

  expect(response.status).toBe(404);
});

describe('whoever guesses', () => {
  it('answers wrong keys late and only so many at once, and the right one at once all the while', async () => {
    const gate = new AdminAuthenticator(ADMIN_KEY, 300);
    const began = performance.now();
    const guesses = Array.from({ length: REFUSALS_WAITING_MAX }, (_, index) => gate.admit(`Bearer guess-${index}`));
    const settled = Promise.allSettled(guesses);

    await expect(gate.admit('Bearer one more')).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(gate.admit(`Bearer ${ADMIN_KEY}`)).resolves.toBeUndefined();
    for (const outcome of await settled) expect(outcome).toMatchObject({ reason: { code: 'unauthenticated' } });

    expect(performance.now() - began).toBeGreaterThan(290);
    await expect(gate.admit(`bearer  ${ADMIN_KEY} `)).resolves.toBeUndefined();
  });

  it('cannot guess a short key: none is taken', async () => {
    Logger.overrideLogger(false);
    await expect(startTestGateway({ adminKey: 'x'.repeat(31) })).rejects.toThrow('at least 32 characters');
  });
});

describe('without a key for operators', () => {
  it.each(['/admin', '/admin/workspaces', '/admin/openapi.json'])('%s is not served, and says how it would be', async (path) => {
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
