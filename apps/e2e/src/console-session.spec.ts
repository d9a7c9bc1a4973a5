import { ApiClient, type ErrorBody } from './testing/api-client';
import { SharedSystem } from './testing/shared-system';
import { waitUntil } from '@tidings/testing/wait-until';

interface Session {
  workspace: { id: string; name: string } | null;
  scopes: string[];
  role: string | null;
  key: { name: string | null; end: string | null };
  csrf: string;
}

let system: SharedSystem;
/** Requests without a key. */
let browser: ApiClient;

beforeAll(async () => {
  system = await SharedSystem.join();
  browser = new ApiClient(system.url);
});

afterAll(() => system?.leave());

/** Signs in; resolves with the headers of the session's requests. */
async function signIn(credential: object): Promise<Record<string, string>> {
  const { status, headers, body } = await browser.request<{ csrf: string }>('POST', '/console/api/session', { body: credential });
  expect(status).toBe(200);
  return { cookie: headers.get('set-cookie')!.split(';', 1)[0]!, 'x-tidings-csrf': body.csrf };
}

const statusOf = async (method: string, path: string, headers: Record<string, string>, body?: object): Promise<number> =>
  (await browser.request(method, path, { headers, body })).status;
const currentOf = async (headers: Record<string, string>): Promise<Session | null> =>
  (await browser.request<{ session: Session | null }>('GET', '/console/api/session', { headers })).body.session;

it('signs in with an API key, reads and writes with the cookie, and signs out', async () => {
  const headers = await signIn({ key: system.key });

  expect(await currentOf(headers)).toMatchObject({ workspace: { id: system.workspaceId }, scopes: ['*'], role: null });
  const sent = { message: { to: { email: 'console@example.com' }, content: { title: 'Hello', body: 'you' } } };
  expect(await statusOf('POST', '/send', { cookie: headers.cookie! }, sent)).toBe(403);
  const { status, body } = await browser.request<{ requestId: string }>('POST', '/send', { headers, body: sent });
  expect(status).toBe(202);
  await system.client.messageOnce('DELIVERED', body.requestId);
  expect(await statusOf('GET', `/messages/${body.requestId}`, headers)).toBe(200);
  const stranger = await signIn({ key: (await system.otherClient()).key });
  expect(await statusOf('GET', `/messages/${body.requestId}`, stranger)).toBe(404);

  expect(await statusOf('DELETE', '/console/api/session', headers)).toBe(204);

  expect([await statusOf('GET', '/messages', headers), await currentOf(headers)]).toEqual([401, null]);
});

it('refuses a wrong key and a wrong code after a while', async () => {
  for (const body of [{ key: 'pk_prod_wrong' }, { code: 'wrong' }]) {
    const answer = await browser.request<ErrorBody>('POST', '/console/api/session', { body });
    expect([answer.status, answer.body.type, answer.headers.get('set-cookie')]).toEqual([401, 'authentication_error', null]);
    expect(answer.ms).toBeGreaterThan(990);
  }
});

it('ends a session when its key is revoked', async () => {
  const operator = await signIn({ key: system.adminKey });
  const keysPath = `/admin/workspaces/${system.workspaceId}/keys`;
  const options = { headers: operator, body: { mode: 'test', name: 'console' } };
  const made = await browser.request<{ key: string; key_id: string }>('POST', keysPath, options);
  expect(made.status).toBe(201);
  const headers = await signIn({ key: made.body.key });
  expect(await currentOf(headers)).toMatchObject({ key: { name: 'console', end: made.body.key.slice(-4) } });

  expect(await statusOf('DELETE', `${keysPath}/${made.body.key_id}`, operator)).toBe(204);

  await waitUntil(async () => (await statusOf('GET', '/messages', headers)) === 401, { what: 'the session to end' });
  expect(await statusOf('GET', '/messages', operator)).toBe(403);
});

it('opens one session with the code that the start prints, and logs neither code nor id', async () => {
  const [, code] = /Console\s+http\S+\/console#code=(\S+)/.exec(system.output)!;
  const headers = await signIn({ code });

  expect(await currentOf(headers)).toMatchObject({ workspace: { name: 'default' }, scopes: ['*'] });
  expect(await statusOf('POST', '/console/api/session', {}, { code })).toBe(401);
  expect(system.output.split(code!)).toHaveLength(2);
  expect(system.output).not.toContain(headers.cookie!.split('=')[1]);
});
