import { BACKGROUND_HEADER, CSRF_HEADER, SESSION_COOKIE } from '@tidings/contracts/core/session-names';
import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { hashApiKey } from '@tidings/contracts/identity/api-key';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { type NamedSession, sessions, type StartSession, type VerifiedSession } from '@tidings/contracts/identity/sessions';
import { REFUSALS_WAITING_MAX } from '../auth/delayed-refusals';
import { csrfTokenOf, hashOfSession } from '../auth/session-cookie';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { expectError } from '../testing/expect-error';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const ADMIN_KEY = 'an-operators-key-of-32-characters-or-more';
const ALICE_KEY = 'a-key-of-alice-of-32-characters-or-more';
const COOKIE = new RegExp(`^${SESSION_COOKIE}=([\\w-]{43}); Path=/; HttpOnly; SameSite=Strict(; Secure)?$`);

let gateway: TestGateway;
/** What identity stores, by hash. */
const stored = new Map<string, StartSession & { workspaceId: string }>();

beforeAll(async () => {
  gateway = await start();
});
afterAll(() => gateway.stop());

async function start(aliceKey = ALICE_KEY): Promise<TestGateway> {
  const started = await startTestGateway({ adminKey: ADMIN_KEY, adminKeys: [{ name: 'alice', key: aliceKey }], version: '1.2.3' });
  const { client } = started;
  client.answer(sessions.start, ({ workspaceId }, request: StartSession) => {
    if (request.code_hash !== undefined && request.code_hash !== hashApiKey('the code'))
      throw new ServiceError('unauthenticated', 'The code');
    stored.delete(request.previous_hash ?? '');
    stored.set(request.hash, { ...request, workspaceId });
  });
  client.answer(sessions.end, (_context, { hash }: NamedSession) => void stored.delete(hash));
  client.answer(sessions.verify, (_context, { hash }: NamedSession): VerifiedSession => {
    const session = stored.get(hash);
    if (!session) throw new ServiceError('unauthenticated', 'Unknown session');
    const { workspaceId: workspace_id, key_id = hash, operator } = session;
    const found: VerifiedSession = { key_id, workspace_id, account_email: 'a@example.com', mode: 'test', scopes: ['*'] };
    return operator
      ? { ...found, scopes: [], role: 'operator', operator }
      : { ...found, workspace_name: 'acme', key_name: 'Shop', key_hint: 'x9Qz' };
  });
  client.answer(workspaces.page, () => ({ results: [], paging: { more: false } }));
  return started;
}

const session = (method: string, { body, ...headers }: Record<string, string> = {}, url = gateway.url): Promise<Response> =>
  fetch(`${url}/console/api/session`, { method, headers: { ...(body && { 'content-type': 'application/json' }), ...headers }, body });
const signIn = (credential: object, headers: Record<string, string> = {}): Promise<Response> =>
  session('POST', { ...headers, body: JSON.stringify(credential) });

/** Signs in; resolves with the id in the cookie and with what requests need. */
async function signedIn(credential: object, headers?: Record<string, string>): Promise<{ id: string; headers: Record<string, string> }> {
  const answer = await signIn(credential, headers);
  expect(answer.status).toBe(200);
  const [, id] = COOKIE.exec(answer.headers.get('set-cookie')!) as unknown as [string, string];
  expect(await answer.json()).toEqual({ csrf: csrfTokenOf(id) });
  return { id, headers: { cookie: `${SESSION_COOKIE}=${id}`, [CSRF_HEADER]: csrfTokenOf(id) } };
}

const current = async (headers: Record<string, string>, url?: string): Promise<unknown> =>
  ((await (await session('GET', headers, url)).json()) as { session: unknown }).session;

describe('a sign-in', () => {
  it('with an API key sets a cookie with a new id; identity gets hashes alone', async () => {
    const { id, headers } = await signedIn({ key: KEY });

    const call = gateway.client.callsOf(sessions.start).at(-1)!;
    expect(call.request).toEqual({ hash: hashOfSession(id), key_id: stored.get(hashOfSession(id))!.key_id });
    expect(JSON.stringify(gateway.client.calls)).not.toContain(KEY);
    expect(await current(headers)).toEqual({
      workspace: { id: call.context.workspaceId, name: 'acme' },
      mode: 'test',
      scopes: ['*'],
      role: null,
      key: { name: 'Shop', end: 'x9Qz' },
      version: '1.2.3',
      csrf: headers[CSRF_HEADER],
    });
  });

  it('is not used by the requests of a page without input', async () => {
    const { id, headers } = await signedIn({ key: KEY });

    await current({ ...headers, [BACKGROUND_HEADER]: '1' });

    expect(gateway.client.callsOf(sessions.verify).at(-1)!.request).toEqual({ hash: hashOfSession(id), background: true });
  });

  it('ends the earlier session of the cookie', async () => {
    const earlier = await signedIn({ key: KEY });
    await current(earlier.headers); // cached

    const { id } = await signedIn({ code: 'the code' }, { cookie: earlier.headers.cookie! });

    expect(id).not.toBe(earlier.id);
    expect(await current(earlier.headers)).toBeNull();
  });

  it.each([
    ['the origin of the page', { origin: 'https://tidings.example.com' }, true],
    ['a proxy', { 'x-forwarded-proto': 'https, http' }, true],
    ['a page without TLS, whatever a proxy says', { origin: 'http://tidings.example.com', 'x-forwarded-proto': 'https' }, false],
    ['nothing', {}, false],
  ])('by TLS sets a secure cookie; known by %s', async (_what, headers, isSecure) => {
    const answer = await signIn({ key: KEY }, { ...headers, 'sec-fetch-site': 'same-origin' });

    expect(COOKIE.exec(answer.headers.get('set-cookie')!)?.[2] !== undefined).toBe(isSecure);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('is refused from a page of another origin', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const answer = await signIn({ key: KEY }, { 'sec-fetch-site': site });
      expect(await expectError(answer, 403, 'authorization_error')).toContain('Sec-Fetch-Site');
    }
    await expectError(await signIn({ key: KEY }, { origin: 'https://elsewhere.example' }), 403, 'authorization_error');
    expect((await signIn({ key: KEY }, { origin: gateway.url })).status).toBe(200);
  });

  it('needs one credential, as JSON', async () => {
    for (const body of ['{}', '{"key":"a","code":"b"}', '{"key":null}', '{"key":1}', '[]', '{', '{"key":"k","more":1}']) {
      await expectError(await session('POST', { body }), 400);
    }
    await expectError(await session('POST', { body: 'key=a', 'content-type': 'application/x-www-form-urlencoded' }), 415);
    await expectError(await session('POST', { body: JSON.stringify({ key: 'x'.repeat(5_000) }) }), 413);
  });

  it('tries few codes at once, while a key signs in', async () => {
    const busy = await start();
    const call = latch();
    busy.client.answer(sessions.start, async (_context, { code_hash }: StartSession) => {
      if (code_hash === undefined) return;
      await call.opened;
      throw new ServiceError('unauthenticated', 'The code');
    });
    const body = (credential: object): Record<string, string> => ({ body: JSON.stringify(credential) });
    const tried = Array.from({ length: REFUSALS_WAITING_MAX }, () => session('POST', body({ code: 'a guess' }), busy.url));
    await waitUntil(() => busy.client.callsOf(sessions.start).length === tried.length, { what: 'the codes to be tried' });

    expect((await session('POST', body({ code: 'one more' }), busy.url)).status).toBe(429);
    expect((await session('POST', body({ key: KEY }), busy.url)).status).toBe(200);

    call.open();
    expect((await Promise.all(tried)).map(({ status }) => status)).toEqual(tried.map(() => 401));
    expect(busy.client.callsOf(sessions.start)).toHaveLength(tried.length + 1);
    await busy.stop();
  });

  it('with wrong keys and codes is answered late and in bounded number, while the right key is answered at once', async () => {
    const startedAt = performance.now();
    const guesses = Array.from({ length: 2 * REFUSALS_WAITING_MAX }, (_, index) =>
      signIn(index % 2 ? { key: `guess-${index}` } : { code: `guess-${index}` }),
    );

    expect((await signIn({ key: KEY })).status).toBe(200);

    const answers = await Promise.all(guesses);
    const [late, limited] = [401, 429].map((status) => answers.filter((answer) => answer.status === status)) as [Response[], Response[]];
    expect([late.length >= REFUSALS_WAITING_MAX, limited.length > 0, late.length + limited.length]).toEqual([true, true, guesses.length]);
    for (const answer of late) {
      expect(await expectError(answer, 401, 'authentication_error')).toMatch(/API key|code/);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect(await expectError(limited[0]!, 429, 'rate_limit_error')).toContain('Too many');
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });
});

describe('a session', () => {
  it('is null without a cookie, and with one that is unknown', async () => {
    expect(await current({})).toBeNull();
    expect(await current({ cookie: `${SESSION_COOKIE}=${'x'.repeat(43)}` })).toBeNull();
  });

  it('ends with the sign-out, at once, which needs its token', async () => {
    const { id, headers } = await signedIn({ key: KEY });
    await current(headers); // cached
    await expectError(await session('DELETE', { cookie: headers.cookie! }), 403, 'authorization_error');

    const answer = await session('DELETE', headers);

    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      204,
      `${SESSION_COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`,
    ]);
    expect([await current(headers), stored.has(hashOfSession(id))]).toEqual([null, false]);
    expect((await session('DELETE')).status).toBe(204);
    const ended = gateway.client.callsOf(sessions.end).length;
    expect((await session('DELETE', headers)).status).toBe(204);
    expect(gateway.client.callsOf(sessions.end)).toHaveLength(ended); // nothing is stored for an invented id
  });

  it('cannot be known while identity is unavailable', async () => {
    const unavailable = await start();
    unavailable.client.answer(sessions.verify, () => {
      throw new ServiceError('unavailable', 'Unavailable');
    });

    await expectError(await session('GET', { cookie: `${SESSION_COOKIE}=${'x'.repeat(43)}` }, unavailable.url), 503, 'internal_error');
    await unavailable.stop();
  });
});

describe('an operator', () => {
  const admin = (headers: Record<string, string>, url = gateway.url): Promise<Response> => fetch(`${url}/admin/workspaces`, { headers });
  const create = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${gateway.url}/admin/workspaces`, {
      method: 'POST',
      body: '{"name":"a","account_email":"a@example.com"}',
      headers: { 'content-type': 'application/json', ...headers },
    });

  it('signs in with the key of the operators, and may call /admin and nothing else', async () => {
    gateway.client.answer(workspaces.create, () => ({ workspace_id: 'w' }));
    const { headers } = await signedIn({ key: ALICE_KEY });

    expect(stored.get(gateway.client.callsOf(sessions.start).at(-1)!.request.hash as string)!.workspaceId).toBe(SYSTEM_WORKSPACE_ID);
    expect(await current(headers)).toMatchObject({
      workspace: null,
      mode: null,
      scopes: [],
      role: 'operator',
      key: { name: 'alice', end: null },
    });
    expect((await admin(headers)).status).toBe(200);
    await expectError(await create({ cookie: headers.cookie! }), 403, 'authorization_error');
    expect((await create(headers)).status).toBe(201);
    expect(gateway.client.callsOf(workspaces.create).at(-1)!.context.actor).toEqual({ type: 'operator', id: 'alice' });
    const other = await fetch(`${gateway.url}/things/one`, { headers });
    expect(await expectError(other, 403, 'authorization_error')).toContain('no workspace');
  });

  it('is signed out by another key of the operator', async () => {
    const { headers } = await signedIn({ key: ALICE_KEY });
    const changed = await start(`${ALICE_KEY}-the-next`);

    await expectError(await admin(headers, changed.url), 401, 'authentication_error');
    expect(await current(headers, changed.url)).toBeNull();
    await changed.stop();
  });

  it('needs a session of their own', async () => {
    const { headers } = await signedIn({ key: KEY });

    expect(await expectError(await admin(headers), 403, 'authorization_error')).toContain('session of an operator');
  });
});
