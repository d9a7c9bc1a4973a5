import { accessChanged } from '@tidings/contracts/identity/keys';
import { events } from '@tidings/contracts/registry';
import { HealthRegistry } from '@tidings/runtime/health';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

let gateway: TestGateway;
const health = new HealthRegistry();
beforeAll(async () => {
  gateway = await startTestGateway({
    version: '1.2.3',
    topicPrefix: 'staging.',
    health,
    mailbox: '/dev/mailbox',
    metrics: { contentType: 'text/plain; version=0.0.4', metrics: () => Promise.resolve('up 1\n') },
    extraRoutes: (instance) => {
      instance.get('/dev/mailbox', (_request, reply) => reply.type('text/html').send('<p>No mail</p>'));
      instance.post('/dev/mailbox', (request, reply) => reply.send(request.body));
    },
  });
});
afterAll(() => gateway.stop());

const get = (path: string): Promise<Response> => fetch(`${gateway.url}${path}`);

it('serves its OpenAPI document without a credential, and every route in it exists', async () => {
  const answer = await get('/openapi.json');
  expect(answer.headers.get('content-type')).toBe('application/json');
  const document = (await answer.json()) as { info: unknown; paths: Record<string, Record<string, unknown>> };

  expect(document.info).toMatchObject({ title: 'Tidings', version: '1.2.3' });
  for (const [path, verbs] of Object.entries(document.paths)) {
    for (const verb of Object.keys(verbs)) {
      const { status } = await fetch(`${gateway.url}${path.replace(/\{\w+\}/g, 'x')}`, { method: verb.toUpperCase() });
      expect([path, verb, status]).toEqual([path, verb, 401]);
    }
  }
});

it('serves its AsyncAPI document without a credential, with prefixed topics', async () => {
  const answer = await get('/asyncapi.json');
  expect(answer.headers.get('content-type')).toBe('application/json');
  const { asyncapi, info, channels } = (await answer.json()) as { asyncapi: string; info: unknown; channels: Record<string, unknown> };

  expect([asyncapi, info]).toEqual(['3.0.0', expect.objectContaining({ title: 'Tidings events', version: '1.2.3' })]);
  expect(Object.keys(channels)).toEqual(events.map(({ topic }) => topic).sort());
  expect(channels).toMatchObject({ [accessChanged.topic]: { address: `staging.${accessChanged.topic}` } });
});

it.each(['/openapi.json', '/asyncapi.json'])('compresses %s for clients that accept it', async (path) => {
  const sizeWith = async (accepted: string): Promise<[string | null, number, object]> => {
    const answer = await fetch(gateway.url + path, { headers: { 'accept-encoding': accepted } });
    const { headers } = answer;
    expect(headers.get('vary')).toBe('accept-encoding');
    return [headers.get('content-encoding'), Number(headers.get('content-length')), (await answer.json()) as object];
  };
  const [compressed, plain, refused] = await Promise.all(['br, gzip;q=0.5', 'identity', 'gzip;q=0'].map(sizeWith));

  expect([compressed![0], plain![0], refused![0]]).toEqual(['gzip', null, null]);
  expect(compressed![1] * 2).toBeLessThan(plain![1]);
  expect(compressed![2]).toEqual(plain![2]);
});

it('links its pages from the root: HTML for browsers, JSON for other clients', async () => {
  const answer = await get('/');
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual([200, 'application/json', 'accept']);
  const home = (await answer.json()) as { docs: string; health: { live: string; ready: string }; mailbox: string };
  expect(home).toMatchObject({ name: 'Tidings', version: '1.2.3', openapi: '/openapi.json', mailbox: '/dev/mailbox' });
  expect(home.docs).toBe('/docs');
  for (const path of [home.health.live, home.mailbox]) expect([path, (await get(path)).status]).toEqual([path, 200]);

  const page = await fetch(gateway.url, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  const html = await page.text();
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  for (const path of [home.docs, home.health.ready, home.mailbox]) expect(html).toContain(`<a href="${path}">`);
  expect(html).toContain('1.2.3');
});

it('links no mailbox without one', async () => {
  const other = await startTestGateway();
  const [text, html] = await Promise.all(
    ['*/*', 'text/html'].map(async (accept) => (await fetch(other.url, { headers: { accept } })).text()),
  );
  await other.stop();

  expect(`${text}${html}`).not.toContain('mailbox');
});

it('loads nothing into the page of the root', async () => {
  const answer = await fetch(gateway.url, { headers: { accept: 'text/html' } });

  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).not.toMatch(/<(?:script|img|link)|(?:src|href)="https?:/);
});

it('is live at once, and ready when every check passes', async () => {
  expect((await get('/health/live')).status).toBe(200);

  health.register('events', () => Promise.resolve());
  expect(await (await get('/health/ready')).json()).toEqual({ status: 'ok', checks: { events: 'ok' } });
  health.register('database', () => Promise.reject(new Error('no route to it')));
  expect(await expectError(await get('/health/ready'), 503, 'internal_error')).toBe('Not ready: database: no route to it');
});

it('shows metrics in their own type', async () => {
  const answer = await get('/metrics');

  expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/plain; version=0.0.4', 'up 1\n']);
});

it("serves the routes of its host by Fastify, with the interface's error bodies", async () => {
  expect(await (await get('/dev/mailbox')).text()).toBe('<p>No mail</p>');
  const post = (body: string): Promise<Response> =>
    fetch(`${gateway.url}/dev/mailbox`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  expect(await (await post('{"a":1}')).json()).toEqual({ a: 1 });
  await expectError(await post('{'), 400);
  await expectError(await fetch(`${gateway.url}/dev/mailbox`, { method: 'PUT' }), 405);
});
