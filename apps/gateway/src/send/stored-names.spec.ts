import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import { providers } from '@tidings/contracts/messaging/providers';
import { unavailable } from '@tidings/contracts/core/errors';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const WRITES = [routingStrategies.create, routingStrategies.replace, tenantTemplates.replace];
const CONTENT = { version: '2022-01-01', elements: [] };

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway({ operations: WRITES });
  for (const operation of WRITES) gateway.client.answer(operation, (_context, request) => request);
  const provider = { id: 'prv_1', provider: 'http', title: 'One', alias: 'mine', settings: {}, created: 1 };
  gateway.client.answer(providers.list, () => ({ paging: { more: false }, results: [provider] }));
});
afterEach(() => gateway.stop());

interface Names {
  routing?: object;
  channels?: object;
}

const put = (method: string, path: string, body: object): Promise<Response> =>
  gateway.request(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const single = (...channels: unknown[]): object => ({ method: 'single', channels });

describe.each<[string, string, (names: Names) => Promise<Response>]>([
  ['a new routing strategy', '', (names) => put('POST', '/routing-strategies', { name: 's', routing: single('email'), ...names })],
  ['a routing strategy', '', (names) => put('PUT', '/routing-strategies/rs_1', { name: 's', routing: single('email'), ...names })],
  [
    "a tenant's template",
    'template.',
    (names) => put('PUT', '/tenants/acme/templates/welcome', { template: { content: CONTENT, ...names } }),
  ],
])('a channel of %s', (_what, prefix, write) => {
  it.each<[string, Names]>([
    ['routing.channels[0]', { routing: single('emial') }],
    ['routing.channels[1].channels[0].channel', { routing: single('sms', single({ channel: 'emial' })) }],
    ['channels.emial', { channels: { emial: { if: 'true' } } }],
  ])('is refused as %s when it is unknown', async (path, names) => {
    const sentence = await expectError(await write(names), 400);

    expect(sentence).toBe(
      `${prefix}${path} must be one of direct_message, email, push, sms, webhook, inbox, banner, or a provider by its key, alias or id (got "emial")`,
    );
    expect(WRITES.flatMap((operation) => gateway.client.callsOf(operation))).toEqual([]);
  });

  it('may be a provider by its key, alias or id, with any providers', async () => {
    const routing = single('sendgrid', 'mine', 'prv_1', { channel: 'sms', providers: ['any'] });

    expect((await write({ routing, channels: { mine: { providers: ['any'] } } })).status).toBeLessThan(300);
  });

  it('is accepted while providers cannot be listed', async () => {
    gateway.client.answer(providers.list, () => Promise.reject(unavailable('Messaging is down')));

    expect((await write({ routing: single('emial') })).status).toBeLessThan(300);
  });

  it('is named in an invalid routing like in an error of content', async () => {
    expect(await expectError(await write({ routing: single({}) }), 400)).toContain(`${prefix}routing.channels[0].channel`);
  });
});

it("accepts a tenant's template without routing, or with a routing without channels", async () => {
  for (const routing of [undefined, null, { method: 'all' }, single()]) {
    const template = { content: CONTENT, routing };
    expect((await put('PUT', '/tenants/acme/templates/welcome', { template })).status).toBe(200);
  }
});
