import { BACKGROUND_HEADER, CSRF_HEADER, SESSION_COOKIE } from '@tidings/contracts/core/session-names';
import { ServiceError } from '@tidings/contracts/core/errors';
import { accessChanged, keys } from '@tidings/contracts/identity/keys';
import { type NamedSession, sessions, type VerifiedSession } from '@tidings/contracts/identity/sessions';
import { expectError } from '../testing/expect-error';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { things } from '../testing/test-operations';
import { csrfTokenOf, hashOfSession } from './session-cookie';

const ID = 'a'.repeat(43);
const OTHER_ID = 'b'.repeat(43);
const SESSION: VerifiedSession = {
  key_id: '6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11',
  workspace_id: '0d6b6a3f-7d0b-4c7e-9a44-6f1c0e3a2e11',
  account_email: 'ops@example.com',
  mode: 'production',
  scopes: ['read:things', 'write:things'],
};

let gateway: TestGateway;
/** The sessions of identity, by the id in the cookie. */
let stored: Map<string, VerifiedSession>;
beforeEach(async () => {
  stored = new Map([[ID, SESSION]]);
  gateway = await startTestGateway();
  gateway.client.answer(sessions.verify, (_context, { hash }: NamedSession) => {
    const found = [...stored].find(([id]) => hashOfSession(id) === hash);
    if (!found) throw new ServiceError('unauthenticated', 'Unknown session');
    return found[1];
  });
});
afterEach(() => gateway.stop());

const cookie = `theme=dark; ${SESSION_COOKIE}=${ID}; other=1`;
const CSRF = { [CSRF_HEADER]: csrfTokenOf(ID) };
const verifications = (): number => gateway.client.callsOf(sessions.verify).length;
const get = (headers: Record<string, string> = { cookie }): Promise<Response> => fetch(`${gateway.url}/things/one`, { headers });
const put = (headers: Record<string, string>): Promise<Response> =>
  fetch(`${gateway.url}/things/one`, { method: 'PUT', body: '{}', headers: { cookie, 'content-type': 'application/json', ...headers } });

describe('the cookie of a session', () => {
  it('stands for the credential, with the scopes of its key', async () => {
    expect((await get()).status).toBe(200);
    expect((await put(CSRF)).status).toBe(200);

    const { context } = gateway.client.callsOf(things.put)[0]!;
    expect(context).toMatchObject({
      workspaceId: SESSION.workspace_id,
      scopes: SESSION.scopes,
      actor: { type: 'api-key', id: SESSION.key_id },
    });
    const denied = await fetch(`${gateway.url}/messages`, { headers: { cookie } });
    expect(await expectError(denied, 403, 'authorization_error')).toContain('read:messages');
    expect(JSON.stringify(gateway.client.callsOf(sessions.verify))).not.toContain(ID);
  });

  it('is ignored beside Authorization', async () => {
    expect((await get({ cookie, authorization: `Bearer ${KEY}` })).status).toBe(200);
    expect((await put({ authorization: `Bearer ${KEY}` })).status).toBe(200);
    await expectError(await get({ cookie, authorization: 'Bearer wrong' }), 401, 'authentication_error');

    expect(verifications()).toBe(0);
  });

  it.each([
    ['another name', `session=${ID}`],
    ['a name that ends alike', `x${SESSION_COOKIE}=${ID}`],
    ['a shorter id', `${SESSION_COOKIE}=${ID.slice(1)}`],
    ['a longer id', `${SESSION_COOKIE}=${ID}a`],
    ['no id', `${SESSION_COOKIE}=`],
  ])('is no credential with %s', async (_what, other) => {
    expect(await expectError(await get({ cookie: other }), 401, 'authentication_error')).toContain('No API key');
  });

  it('is refused once the session has ended', async () => {
    stored.clear();

    expect(await expectError(await get(), 401, 'authentication_error')).toBe('The session has ended: sign in again');
  });
});

describe('an unsafe request with the cookie', () => {
  it.each([
    ['without the token', {}],
    ['with another token', { [CSRF_HEADER]: 'x' }],
    ['with the token of another session', { [CSRF_HEADER]: csrfTokenOf(OTHER_ID) }],
  ])('is refused %s', async (_what, headers) => {
    expect(await expectError(await put(headers), 403, 'authorization_error')).toContain(CSRF_HEADER);
    expect(verifications()).toBe(0);
  });

  it.each(['cross-site', 'same-site', 'none', ''])('is refused with Sec-Fetch-Site %j', async (site) => {
    const answer = await put({ ...CSRF, 'sec-fetch-site': site });

    expect(await expectError(answer, 403, 'authorization_error')).toContain('Sec-Fetch-Site must be same-origin');
    expect(gateway.client.callsOf(things.put)).toHaveLength(0);
  });

  it('is accepted from the own page', async () => {
    expect((await put({ ...CSRF, 'sec-fetch-site': 'same-origin', origin: gateway.url })).status).toBe(200);
  });

  it('is a DELETE and a POST too, not a GET', async () => {
    const paths = [['DELETE', '/things/one'] as const, ['POST', '/things/one/archive'] as const];
    for (const [method, path] of paths) {
      await expectError(await fetch(`${gateway.url}${path}`, { method, headers: { cookie } }), 403, 'authorization_error');
    }
    expect((await get({ cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });
});

it('no answer to a cookie may be read by a page of another origin', async () => {
  const { headers } = await get({ cookie, origin: 'https://elsewhere.example' });

  expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
});

describe('the cache', () => {
  it('has sessions: one is looked up once, and again after its key has changed', async () => {
    await get();
    await get();
    expect(verifications()).toBe(1);

    stored.clear(); // its key was revoked
    const { workspace_id: workspaceId, key_id: keyId } = SESSION;
    await gateway.events.append(accessChanged, [{ id: 'one', payload: { workspaceId, keyId } }]);

    await expectError(await get(), 401, 'authentication_error');
  });

  it('looks a session up again at its end: another gateway may have used it', async () => {
    const now = Date.now();
    stored.set(ID, { ...SESSION, valid_until: now + 60_000 });
    await get();
    stored.set(ID, { ...SESSION, valid_until: now + 120_000 });
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 60_000);
    try {
      expect((await get()).status).toBe(200);
      expect(verifications()).toBe(2);

      stored.clear();
      clock.mockImplementation(() => now + 120_000);
      await expectError(await get(), 401, 'authentication_error');
    } finally {
      clock.mockRestore();
    }
  });

  it('has sessions of the background beside those in use, whose lookup counts as the use', async () => {
    const background = { cookie, [BACKGROUND_HEADER]: '1' };
    for (const headers of [background, { cookie }, background, { cookie }]) await get(headers);
    const hash = hashOfSession(ID);
    const requests = gateway.client.callsOf(sessions.verify).map(({ request }) => request);
    expect(requests).toEqual([{ hash, background: true }, { hash }]);
  });

  it('has sessions and keys under different names', async () => {
    await get();
    gateway.client.answer(keys.verify, () => {
      throw new ServiceError('unauthenticated', 'Unknown');
    });

    await expectError(await get({ authorization: `Bearer ${ID}` }), 401, 'authentication_error');
  });
});

it('cannot be verified while identity is unavailable: 503, never 401', async () => {
  gateway.client.answer(sessions.verify, () => {
    throw new ServiceError('unavailable', 'Unavailable');
  });

  await expectError(await get(), 503, 'internal_error');
});
