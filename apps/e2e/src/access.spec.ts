import { randomBytes } from 'node:crypto';
import Courier from '@trycourier/courier';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient } from './testing/api-client';
import { System } from './testing/system';
const ADMIN_KEY = randomBytes(24).toString('base64url');
const ALICE_KEY = randomBytes(24).toString('base64url');
const SECRET_KEY = randomBytes(32).toString('base64');

let system: System;
let operator: ApiClient;

const environment = {
  TIDINGS_ADMIN_KEY: ADMIN_KEY,
  TIDINGS_ADMIN_KEYS: `alice:${ALICE_KEY}`,
  TIDINGS_SECRET_KEY: SECRET_KEY,
  TIDINGS_RATE_LIMIT: '5000/s',
};

beforeAll(async () => {
  system = await System.start({ environment });
  operator = new ApiClient(system.url, ADMIN_KEY);
});

afterAll(() => system?.stop());

interface CreatedKey {
  key: string;
  key_id: string;
}

async function request<Body>(method: string, path: string, body?: object, client = operator): Promise<Body> {
  const answer = await client.request<Body>(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function makeWorkspace(name: string): Promise<{ keysPath: string; created: CreatedKey; client: ApiClient }> {
  const { workspace_id } = await request<{ workspace_id: string }>('POST', '/admin/workspaces', {
    name,
    account_email: `${name}@example.com`,
  });
  const keysPath = `/admin/workspaces/${workspace_id}/keys`;
  const created = await request<CreatedKey>('POST', keysPath, { mode: 'production', name: 'shop' });
  return { keysPath, created, client: new ApiClient(system.url, created.key) };
}

async function issue(client: ApiClient, scope: string): Promise<ApiClient> {
  const sdk = new Courier({ apiKey: client.key, baseURL: system.url, maxRetries: 0 });
  const { token } = await sdk.auth.issueToken({ scope, expires_in: '1 hour' });
  return new ApiClient(system.url, token);
}

const statusOf = async (client: ApiClient, path: string): Promise<number> => (await client.get(path)).status;

const untilRefused = (client: ApiClient, what: string): Promise<boolean> =>
  waitUntil(async () => (await statusOf(client, '/messages')) === 401, { what: `${what} to be refused` });

it('a user reads their own messages with a token, and nothing else', async () => {
  const { client } = await makeWorkspace('own-messages');
  const message = (user_id: string) => ({
    message: { to: { user_id, email: `${user_id}@example.com` }, content: { title: 'Hello', body: 'you' } },
  });
  const ids: string[] = [];
  for (const user of ['ada', 'eve']) ids.push((await request<{ requestId: string }>('POST', '/send', message(user), client)).requestId);
  const [own, other] = ids as [string, string];
  for (const id of ids) await waitUntil(async () => (await statusOf(client, `/messages/${id}`)) === 200, { what: 'the message' });

  const ada = await issue(client, 'user_id:ada read:messages');

  expect((await request<{ results: { id: string }[] }>('GET', '/messages', undefined, ada)).results.map(({ id }) => id)).toEqual([own]);
  for (const path of ['', '/history']) {
    expect(await statusOf(ada, `/messages/${own}${path}`)).toBe(200);
    expect(await statusOf(ada, `/messages/${other}${path}`)).toBe(403);
  }
  for (const path of ['/messages?recipient=eve', '/profiles/ada', '/audit-events']) expect(await statusOf(ada, path)).toBe(403);
  expect((await ada.request('POST', '/send', { body: message('ada') })).status).toBe(403);
  expect((await ada.request('POST', '/auth/issue-token', { body: { scope: 'read:messages', expires_in: '1h' } })).status).toBe(403);
});

it('an operator rotates and revokes keys: issued tokens end with them, and audit events record it', async () => {
  const { keysPath, created, client } = await makeWorkspace('revoked');
  const token = await issue(client, 'user_id:ada read:messages');
  expect(await statusOf(token, '/messages')).toBe(200);

  const next = await request<CreatedKey>('POST', `${keysPath}/${created.key_id}/rotate`, { overlap: '1 hour' });
  const nextClient = new ApiClient(system.url, next.key);
  await waitUntil(async () => (await statusOf(nextClient, '/messages')) === 200, { what: 'the next key to be accepted' });
  expect(await statusOf(token, '/messages')).toBe(200); // the old key stays valid for the overlap

  await request('DELETE', `${keysPath}/${created.key_id}`);

  await untilRefused(token, 'the token');
  await untilRefused(client, 'the key');
  const events = await request<{ results: { type: string }[] }>('GET', '/audit-events', undefined, nextClient);
  expect(events.results.map(({ type }) => type)).toEqual([
    'api-key:revoked',
    'api-key:created',
    'api-key:rotated',
    'api-key:created',
    'workspace:created',
  ]);
});

interface Recorded {
  type: string;
  operation: string;
  actor: object;
  target: { id?: string };
  changes: { before: string[]; after: string[] };
}

it('audit events name who changed what in every service, and the fields, never a value', async () => {
  const { workspace_id: workspace } = await request<{ workspace_id: string }>('POST', '/admin/workspaces', {
    name: 'audited',
    account_email: 'audited@example.com',
  });
  const alice = new ApiClient(system.url, ALICE_KEY);
  const made = await request<CreatedKey>('POST', `/admin/workspaces/${workspace}/keys`, { mode: 'production', name: 'shop' }, alice);
  const client = new ApiClient(system.url, made.key);
  const change = (method: string, path: string, body?: object, by = client): Promise<unknown> => request(method, path, body, by);
  await change('POST', '/profiles/ada', { profile: { email: 'secret@example.com' } });
  await change('POST', '/brands', { id: 'acme', name: 'secret', settings: { colors: { primary: '#123456' } } });
  await change('PUT', '/lists/news', { name: 'secret' });
  await change('PUT', '/lists/news/subscriptions/ada', {});
  const provider = (await change('POST', '/providers', {
    provider: 'smtp',
    settings: { host: 'smtp.example.com', port: 465, secure: true, user: 'me', pass: 'secret', from_address: 'me@example.com' },
  })) as { id: string };
  const token = await issue(client, 'user_id:ada write:preferences');
  await change('PUT', '/users/ada/preferences/news', { topic: { status: 'OPTED_OUT' } }, token).catch(() => {}); // there is no such topic
  await change('PUT', '/preferences/ada', { notifications: {}, categories: {} }, token);
  expect((await client.request('POST', '/brands', { body: { id: 'acme', name: 'again' } })).status).toBe(409);
  expect(
    (await client.request('POST', '/send', { body: { message: { to: { user_id: 'ada' }, content: { title: 'a', body: 'b' } } } })).status,
  ).toBe(202);

  const list = async (): Promise<Recorded[]> => (await request<{ results: Recorded[] }>('GET', '/audit-events', undefined, client)).results;
  await waitUntil(async () => (await list()).length >= 8, { what: 'the audit events' });

  const shop = { id: made.key_id, name: 'shop', hint: made.key.slice(-4) };
  const key = { type: 'api-key', ...shop };
  const event = (type: string, operation: string, actor: object, id: string, before: string[], after: string[]): object => ({
    type,
    operation,
    actor,
    target: expect.objectContaining({ id }) as object,
    changes: { before, after },
  });
  const events = await list();
  expect(events).toHaveLength(8);
  expect(events).toEqual(
    expect.arrayContaining(
      [
        event(
          'workspace:created',
          'identity.workspaces.create',
          { type: 'operator', id: 'admin' },
          workspace,
          [],
          ['account_email', 'name'],
        ),
        event('api-key:created', 'identity.keys.create', { type: 'operator', id: 'alice' }, made.key_id, [], ['mode', 'name', 'scopes']),
        event('user:profile-changed', 'identity.profiles.merge', key, 'ada', [], ['profile.email']),
        event('brand:created', 'content.brands.create', key, 'acme', [], ['brand_id', 'name', 'settings.colors']),
        event('list:replaced', 'audience.lists.replace', key, 'news', [], ['list_id', 'name']),
        event('list:subscribers-changed', 'audience.subscriptions.put', key, 'news', [], ['subscriptions']),
        event(
          'provider:created',
          'messaging.providers.create',
          key,
          provider.id,
          [],
          expect.arrayContaining(['settings.host', 'secrets']) as never,
        ),
        event(
          'user:preferences-changed',
          'identity.recipient-preferences.replace',
          { type: 'token', ...shop, users: ['ada'] },
          'ada',
          [],
          ['preferences.categories', 'preferences.notifications'],
        ),
      ].map((one) => expect.objectContaining(one) as object),
    ),
  );
  expect(JSON.stringify(events)).not.toMatch(/secret@|"secret"|#123456|smtp\.example/);

  await request('POST', `/admin/workspaces/${workspace}/erasures/identity`, { user_id: 'ada' }, alice);

  const erased = await list();
  expect(erased[0]).toMatchObject({ type: 'user:erased', actor: { type: 'operator', id: 'alice' } });
  expect(JSON.stringify(erased)).not.toContain('"ada"');
  const named = erased.filter(({ target }) => target.id?.startsWith('erased:')).map(({ target }) => target.id);
  expect(named).toHaveLength(3);
  expect(new Set(named).size).toBe(1);
});

it('tokens survive a restart of the product until all issued ones are revoked', async () => {
  const { client } = await makeWorkspace('restarted');
  const token = await issue(client, 'user_id:ada read:messages');
  await system.restart();
  expect(await statusOf(token, '/messages')).toBe(200);

  await request('POST', '/admin/signing-keys/rotate', { revoke_issued: true });

  await untilRefused(token, 'the token');
  const another = await issue(client, 'user_id:ada read:messages');
  await waitUntil(async () => (await statusOf(another, '/messages')) === 200, { what: 'another token to be accepted' });
});

describe('limits', () => {
  const limitsOf = (keysPath: string): string => keysPath.replace(/keys$/, 'limits');

  it('of the rate are answered with 429, which the SDK retries, and end when an operator changes them', async () => {
    const { keysPath, client, created } = await makeWorkspace('rate');
    const headersOf = async (): Promise<(string | null)[]> => {
      const { headers } = await fetch(`${system.url}/messages`, { headers: { authorization: `Bearer ${client.key}` } });
      return ['ratelimit-limit', 'ratelimit-remaining', 'retry-after', 'x-should-retry'].map((name) => headers.get(name));
    };
    expect(await headersOf()).toEqual(['5000', expect.stringMatching(/^24\d\d$/), null, null]);

    await request('PATCH', limitsOf(keysPath), { rate_limit: '1/h' });

    await waitUntil(async () => (await headersOf())[0] === '1', { what: 'the new limit' });
    await waitUntil(async () => (await statusOf(client, '/messages')) === 429, { what: 'the limit' });
    expect(await headersOf()).toEqual(['1', '0', expect.stringMatching(/^3[56]\d\d$/), 'true']);
    const sdk = new Courier({ apiKey: client.key, baseURL: system.url, maxRetries: 0 });
    await expect(sdk.messages.list()).rejects.toMatchObject({
      status: 429,
      error: { type: 'rate_limit_error', message: 'The workspace may make 1/h requests: try again later' },
    });
    expect(await system.metrics('tidings_rate_limited_total')).toBeGreaterThanOrEqual(3);

    await request('PATCH', limitsOf(keysPath), { rate_limit: 'none' });
    await request('PATCH', `${keysPath}/${created.key_id}/limit`, { rate_limit: '2/s' });
    await waitUntil(async () => (await headersOf())[0] === '2', { what: 'the limit of the key' });
    const patient = new Courier({ apiKey: client.key, baseURL: system.url });
    for (let count = 0; count < 4; count += 1) await patient.messages.list();
  });

  it('of what is stored are answered with 403, which names quota and value', async () => {
    const { keysPath, client } = await makeWorkspace('quota');
    await request('PATCH', limitsOf(keysPath), { profiles: 1, lists: 0, templates: 0, bulk_rows: 1 });
    const put = (user: string) => client.request('PUT', `/profiles/${user}`, { body: { profile: { email: `${user}@example.com` } } });
    const refused = (name: string, value: number) => ({
      status: 403,
      body: { type: 'authorization_error', message: expect.stringContaining(`The quota ${name} of the workspace is ${value}: `) as string },
    });
    await waitUntil(async () => (await client.request('PUT', '/lists/a', { body: { name: 'A' } })).status === 403, { what: 'the quota' });

    expect(await put('ada')).toMatchObject({ status: 200 });
    expect(await put('bob')).toMatchObject(refused('profiles', 1));
    expect(await put('ada')).toMatchObject({ status: 200 });
    expect(await client.request('PUT', '/lists/a', { body: { name: 'A' } })).toMatchObject(refused('lists', 0));
    const template = { template: { content: { version: '2022-01-01', elements: [] } } };
    expect(await client.request('PUT', '/tenants/t/templates/a', { body: template })).toMatchObject(refused('templates', 0));
    const { jobId } = await request<{ jobId: string }>('POST', '/bulk', { message: { event: 'e' } }, client);
    const users = { users: [{ recipient: 'ada' }, { recipient: 'bob' }] };
    expect(await client.request('POST', `/bulk/${jobId}`, { body: users })).toMatchObject(refused('bulk_rows', 1));
  });
});

it('the operators’ key is refused elsewhere, and workspace keys are refused by the operators’ interface', async () => {
  expect(await statusOf(operator, '/messages')).toBe(401);
  expect(await statusOf(system.client, '/admin/workspaces')).toBe(401);
});

it('logs no secret', () => {
  expect(system.output).not.toContain(ADMIN_KEY);
  expect(system.output).not.toContain(SECRET_KEY);
  expect(system.output).not.toMatch(/eyJ[\w-]+\./);
});
