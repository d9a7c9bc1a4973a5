import { randomBytes } from 'node:crypto';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient, type ErrorBody, type HistoryEvent, type MessageRecord } from '../testing/api-client';
import { System } from '../testing/system';

const ADMIN_KEY = randomBytes(24).toString('base64url');
const CONTENT = { title: 'Hello', body: 'You' };

let system: System;
let operator: ApiClient;
let keysPath: string;
/** A key of the workspace without limits. */
let owner: ApiClient;

beforeAll(async () => {
  system = await System.start({ environment: { TIDINGS_ADMIN_KEY: ADMIN_KEY } });
  operator = new ApiClient(system.url, ADMIN_KEY);
  const workspace = { name: 'limited-keys', account_email: 'limited-keys@example.com' };
  const { workspace_id } = await done<{ workspace_id: string }>(operator, 'POST', '/admin/workspaces', workspace);
  keysPath = `/admin/workspaces/${workspace_id}/keys`;
  owner = await makeKey({});
  await done(owner, 'PUT', '/profiles/ada', { profile: { email: 'ada@example.com', phone_number: '+33612345678', secret: 'opal' } });
  await done(owner, 'PUT', '/lists/readers/subscriptions/ada');
  const elements = [{ type: 'text', content: 'Hello' }];
  const notification = { name: 'Welcome', tags: [], brand: null, subscription: null, routing: null };
  const template = { ...notification, content: { version: '2022-01-01', elements } };
  const { id } = await done<{ id: string }>(owner, 'POST', '/notifications', { notification: template, state: 'PUBLISHED' });
  await done(owner, 'PUT', '/events/welcome', { id, type: 'notification' });
});

afterAll(() => system?.stop());

/** The answer of a request that must succeed. */
async function done<Body>(client: ApiClient, method: string, path: string, body?: object): Promise<Body> {
  const answer = await client.request<Body>(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function makeKey(limits: object): Promise<ApiClient> {
  const { key } = await done<{ key: string }>(operator, 'POST', keysPath, { mode: 'production', ...limits });
  const client = new ApiClient(system.url, key);
  await waitUntil(async () => (await client.get('/audit-events')).status !== 401, { what: 'the key to be accepted' });
  return client;
}

async function issueToken(scope: string, key = owner): Promise<ApiClient> {
  const { token } = await done<{ token: string }>(key, 'POST', '/auth/issue-token', { scope, expires_in: '1 hour' });
  return new ApiClient(system.url, token);
}

async function expectForbidden(client: ApiClient, path: string, body?: object, sentence?: string): Promise<void> {
  const answer = await client.request<ErrorBody>('POST', path, { body });
  expect([path, body, answer.status, answer.body]).toEqual([
    path,
    body,
    403,
    { message: expect.stringContaining(sentence ?? 'only') as string, type: 'authorization_error' },
  ]);
}

const idsOf = async (client: ApiClient): Promise<string[]> =>
  (await done<{ results: { id: string }[] }>(client, 'GET', '/messages')).results.map(({ id }) => id).sort();

it('a key for stored addresses and published templates carries no profile out', async () => {
  const key = await makeKey({ scopes: ['write:send:stored', 'write:bulk', 'write:messages', 'read:messages'] });
  const send = (message: object) => ({ message: { template: 'welcome', ...message } });
  const before = await idsOf(owner);
  const attacks: object[] = [
    send({ to: { email: 'eve@example.com' } }),
    send({ to: { user_id: 'ada', email: 'eve@example.com' } }),
    send({ to: [{ user_id: 'ada' }, { user_id: 'ada', phone_number: '+33600000000' }] }),
    send({ to: { user_id: 'ada', firebaseToken: 'dGhpcw' } }),
    send({ to: { user_id: 'ada', slack: { incoming_webhook: { url: 'https://eve.example/x' } } } }),
    send({ to: { user_id: 'ada', ms_teams: { service_url: 'https://eve.example/', user_id: '29:1' } } }),
    send({ to: { user_id: 'ada', webhook: { url: 'https://eve.example/x', profile: 'expanded' } } }),
    send({ to: { user_id: 'ada' }, template: undefined, content: { title: '{profile.secret}', body: 'x' } }),
    send({ to: { user_id: 'ada' }, channels: { email: { override: { bcc: 'eve@example.com' } } } }),
    send({ to: { list_id: 'readers' }, providers: { smtp: { override: { config: { from_address: 'eve@example.com' } } } } }),
    { event: 'welcome', recipient: 'ada', profile: { email: 'eve@example.com' } },
    { event: 'welcome', recipient: 'ada', override: { channel: { email: { cc: 'eve@example.com' } } } },
  ];
  for (const attack of attacks) await expectForbidden(key, '/send', attack);
  await expectForbidden(key, '/send/list', { event: 'welcome', list: 'readers', override: { smtp: { cc: 'eve@example.com' } } });
  await expectForbidden(key, '/bulk', { message: { content: CONTENT } });
  await expectForbidden(key, '/bulk', { message: { event: 'welcome', override: { smtp: { bcc: 'eve@example.com' } } } });
  const { jobId } = await done<{ jobId: string }>(key, 'POST', '/bulk', { message: { event: 'welcome' } });
  await expectForbidden(key, `/bulk/${jobId}`, { users: [{ recipient: 'ada', profile: { email: 'eve@example.com' } }] });
  await expectForbidden(key, `/bulk/${jobId}`, { users: [{ to: { email: 'eve@example.com' } }] });
  const open = await done<{ jobId: string }>(owner, 'POST', '/bulk', { message: { content: { title: '{profile.secret}', body: 'x' } } });
  await expectForbidden(key, `/bulk/${open.jobId}`, { users: [{ recipient: 'ada' }] }, 'other limits');
  await expectForbidden(key, `/bulk/${open.jobId}/run`, undefined, 'other limits');
  const inline = await owner.send('ada@example.com');
  await owner.messageOnce('DELIVERED', inline);
  await expectForbidden(key, `/messages/${inline}/resend`);

  const { requestId } = await done<{ requestId: string }>(key, 'POST', '/send', send({ to: { user_id: 'ada' }, data: { order: 'A-17' } }));
  await owner.messageOnce('DELIVERED', requestId);
  await done(key, 'POST', `/bulk/${jobId}`, { users: [{ recipient: 'ada' }] });
  await done(key, 'POST', `/bulk/${jobId}/run`);
  const sentByJob = await waitUntil(
    async () => (await done<{ items: { messageId?: string }[] }>(owner, 'GET', `/bulk/${jobId}/users`)).items[0]?.messageId,
    { what: 'the message of the job' },
  );
  await owner.messageOnce('DELIVERED', sentByJob);
  expect(await idsOf(owner)).toEqual([...before, inline, requestId, sentByJob].sort());
});

it('a key with a guest list reaches no other recipient', async () => {
  const key = await makeKey({ recipients: ['ada', 'tester@example.com'] });
  const send = (message: object) => ({ message: { content: CONTENT, ...message } });
  const before = await idsOf(owner);
  const attacks: object[] = [
    send({ to: { user_id: 'eve' } }),
    send({ to: { email: 'eve@example.com' } }),
    send({ to: { user_id: 'ada', email: 'eve@example.com' } }),
    send({ to: { user_id: 'ada', webhook: { url: 'https://eve.example/x' } } }),
    send({ to: [{ user_id: 'ada' }, { user_id: 'eve' }] }),
    send({ to: { list_id: 'readers' } }),
    send({ to: { list_pattern: 'team.*' } }),
    send({ to: { audience_id: 'all' } }),
    send({ to: { tenant_id: 'acme' } }),
    send({ to: { user_id: 'ada' }, channels: { email: { override: { cc: 'eve@example.com' } } } }),
    send({ to: { user_id: 'ada' }, providers: { http: { override: { url: 'https://eve.example/' } } } }),
    { event: 'welcome', recipient: 'eve' },
  ];
  for (const attack of attacks) await expectForbidden(key, '/send', attack);
  await expectForbidden(key, '/send/list', { event: 'welcome', list: 'readers' });
  const { jobId } = await done<{ jobId: string }>(key, 'POST', '/bulk', { message: { event: 'welcome' } });
  for (const client of [key, owner])
    await expectForbidden(client, `/bulk/${jobId}`, { users: [{ recipient: 'ada' }, { recipient: 'eve' }] });
  const open = await done<{ jobId: string }>(owner, 'POST', '/bulk', { message: { event: 'welcome' } });
  await done(owner, 'POST', `/bulk/${open.jobId}`, { users: [{ recipient: 'eve' }] });
  await expectForbidden(key, `/bulk/${open.jobId}/run`, undefined, 'other limits');

  const ids: string[] = [];
  for (const to of [{ user_id: 'ada' }, { email: 'Tester@example.com' }]) {
    ids.push((await done<{ requestId: string }>(key, 'POST', '/send', send({ to }))).requestId);
  }
  for (const id of ids) await owner.messageOnce('DELIVERED', id);
  expect(await idsOf(owner)).toEqual([...before, ...ids].sort());
});

it('a token for a page sees status, times and content of its user, and nothing of the sender', async () => {
  const MARKERS = ['opal', 'Marker', '+33612345678', 'A-17', 'marker-'];
  const MESSAGE = {
    to: { user_id: 'ada', nickname: 'Marker' },
    template: 'welcome',
    data: { order: 'A-17', secret: 'marker-data' },
    metadata: { tags: ['marker-tag'], trace_id: 'marker-trace' },
    providers: { smtp: { override: { headers: { 'x-key': 'marker-header' } } } },
  };
  const headers = { 'Idempotency-Key': 'marker-key' };
  const answer = await owner.request<{ requestId: string }>('POST', '/send', { body: { message: MESSAGE }, headers });
  const id = answer.body.requestId;
  const whole = await owner.messageOnce('DELIVERED', id);
  const events = await owner.history(id);
  const page = await issueToken('user_id:ada read:messages');

  const record = await done<MessageRecord>(page, 'GET', `/messages/${id}`);
  const [route] = whole.providers;
  const { sent, delivered } = whole;
  expect(record).toEqual({
    ...{ id, recipient: 'ada', status: 'DELIVERED', enqueued: whole.enqueued, sent, delivered, event: '', notification: '' },
    providers: [
      {
        ...{ channel: { key: 'email', template: '' }, provider: '', status: 'DELIVERED' },
        ...{ sent: route!.sent, delivered: route!.delivered },
      },
    ],
  });
  const listed = await done<{ results: object[] }>(page, 'GET', '/messages');
  expect(listed.results).toContainEqual(record);

  const history = await done<{ results: HistoryEvent[] }>(page, 'GET', `/messages/${id}/history`);
  expect(history.results.map(({ ts, type }) => [ts, type])).toEqual(events.map(({ ts, type }) => [ts, type]));
  for (const event of history.results) {
    expect(['ts', 'type', 'channel', 'reason', 'output', 'until']).toEqual(expect.arrayContaining(Object.keys(event)));
    if (event.channel) expect(event.channel).toEqual({ id: 'email' });
  }
  const { output: parts } = history.results.find(({ type }) => type === 'RENDERED') as unknown as { output: Record<string, string> };
  expect((await page.get(parts.text!)).body).toContain('Hello');
  const output = await done<{ results: { channel: string; content: { text: string } }[] }>(page, 'GET', `/messages/${id}/output`);
  expect(output.results).toMatchObject([{ channel: 'email', content: { text: expect.stringContaining('Hello') as string } }]);

  const seen = JSON.stringify([record, listed, history, output]);
  const all = JSON.stringify([whole, events]);
  for (const marker of MARKERS) expect([marker, all.includes(marker), seen.includes(marker)]).toEqual([marker, true, false]);
  for (const part of ['smtp', 'ada@example.com', 'integration', 'reference', 'configuration']) expect(seen).not.toContain(part);
  for (const filter of [
    'tags=marker-tag',
    'tag=x',
    'event=welcome',
    'traceId=marker-trace',
    'provider=smtp',
    'list=readers',
    'tenant_id=acme',
    'notification=welcome',
  ]) {
    expect([filter, (await page.get(`/messages?${filter}`)).status]).toEqual([filter, 403]);
  }
  expect((await page.get(`/messages?status=DELIVERED&messageId=${id}`)).body).toMatchObject({ results: [{ id }] });
  for (const path of [`/messages/${id}/resend`, `/messages/${id}/cancel`, '/send']) {
    expect((await page.request('POST', path, { body: path === '/send' ? { message: MESSAGE } : undefined })).status).toBe(403);
  }
});

it('a token for a page sees nothing of what a webhook gets', async () => {
  const settings = { channel: 'webhook', url: 'https://hooks.example.com/x', secret: `whsec_${randomBytes(32).toString('base64')}` };
  await done(owner, 'POST', '/providers', { provider: 'http', settings });
  const simulated = await makeKey({ mode: 'test' });
  const routing = { method: 'all', channels: ['email', 'webhook'] };
  const message = { to: { user_id: 'ada' }, template: 'welcome', routing };
  const { requestId: id } = await done<{ requestId: string }>(simulated, 'POST', '/send', { message });
  await owner.messageOnce('SIMULATED', id);
  const page = await issueToken('user_id:ada read:messages');

  const channels = async (client: ApiClient) =>
    (await done<{ results: { channel: string }[] }>(client, 'GET', `/messages/${id}/output`)).results.map(({ channel }) => channel);
  expect(await channels(owner)).toEqual(['email', 'webhook']);
  expect(await channels(page)).toEqual(['email']);
  const addressIn = (events: HistoryEvent[]) => {
    const rendered = events.find(({ type, channel }) => type === 'RENDERED' && (channel as { id: string }).id === 'webhook');
    return (rendered as unknown as { output?: Record<string, string> }).output?.text;
  };
  const address = addressIn(await owner.history(id))!;
  expect(addressIn(await page.history(id))).toBeUndefined();
  expect([(await owner.get(address)).status, (await page.get(address)).status]).toEqual([200, 404]);
});

it('a key that expired is refused, with the tokens it issued', async () => {
  const expires_at = new Date(Date.now() + 4_000).toISOString();
  const key = await makeKey({ expires_at });
  const page = await issueToken('user_id:ada read:messages', key);
  expect((await page.get('/messages')).status).toBe(200);

  for (const client of [key, page]) {
    await waitUntil(async () => (await client.get('/messages')).status === 401, { what: 'the key to be refused' });
  }

  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
  expect((await key.get('/messages')).body).toMatchObject({ type: 'authentication_error' });
});
