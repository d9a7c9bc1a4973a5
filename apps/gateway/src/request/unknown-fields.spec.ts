import { operations } from '@tidings/contracts/registry';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

let gateway: TestGateway;
const received: unknown[] = [];
beforeAll(async () => {
  const services = operations.filter(({ route, service }) => route && service !== 'gateway');
  gateway = await startTestGateway({ operations: services, notServed: [] });
  for (const operation of services) gateway.client.answer(operation, (_, request) => (received.push(request), {}));
});
afterAll(() => gateway.stop());
beforeEach(() => received.splice(0));

const warningOf = async (path: string, body: object): Promise<string | null> => {
  const answer = await gateway.request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.ok).toBe(true);
  return answer.headers.get('x-tidings-warning');
};

const MESSAGE = { event: 'welcome', locale: { de: {} } };
const PREFERENCES = { notifications: { welcome: { status: 'OPTED_IN' } } };
const TRACKED = { event: 'e', messageId: 'm', type: 'track', properties: { any: { thing: 1 } } };
const ADA = { recipient: 'ada', profile: { name: 'Ada' }, data: { any: { thing: 1 } }, preferences: PREFERENCES, to: { favourite: 'red' } };

describe('an unknown field of a request without a message history', () => {
  it.each<[string, object, string]>([
    ['/bulk', { message: MESSAGE, messag: 1, foo: null }, '"messag", "foo"'],
    ['/bulk/job', { users: [{ recipient: 'x' }, { recipient: 'y', dta: {} }], user: [] }, '"users[1].dta", "user"'],
    [
      '/bulk/job',
      { job_id: 'other', users: [{ ...ADA, preferences: { categorys: {} }, to: { data: {}, context: { tenant: 'a' } } }] },
      '"job_id", "users[0].preferences.categorys", "users[0].to.context.tenant"',
    ],
    ['/inbound/courier', { ...TRACKED, userid: 'ada' }, '"userid"'],
    ['/bulk', { message: MESSAGE, 'mäs\r\nage': 1 }, '"[\\"m\\u00e4s\\\\r\\\\nage\\"]"'],
  ])('is named in a header of POST %s', async (path, body, names) => {
    expect(await warningOf(path, body)).toBe(`Unknown fields were ignored: ${names}`);
  });

  it('is named beside unknown query parameters', async () => {
    expect(await warningOf('/bulk?x=1', { message: MESSAGE, messag: 1 })).toBe(
      'Unknown query parameters were ignored: "x" (it knows none); Unknown fields were ignored: "messag"',
    );
  });

  it.each<[string, object]>([
    ['/bulk', { message: { ...MESSAGE, unknown: 1 } }],
    ['/bulk/job', { users: [ADA, { profile: { email: 'a@b.example', any: 1 } }, { to: { email: 'a@b.example', any: 1 } }] }],
    ['/inbound/courier', { ...TRACKED, userId: null }],
  ])('does not occur in %s', async (path, body) => {
    expect(await warningOf(path, body)).toBeNull();
  });
});

describe('an unknown field of a write that configures', () => {
  const write = (route: string, body: unknown) => {
    const [method, path] = route.split(' ') as [string, string];
    return gateway.request(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  };
  const CONTENT = { version: '2022-01-01', elements: [{ type: 'text', content: 'Hi', any: 1 }] };
  const ROUTING = { method: 'single', channels: ['email', { channel: 'sms', providers: [{ name: 'http', if: 'true' }] }] };
  const PROFILE = { any: { thing: 1 } };

  it.each<[string, unknown, string]>([
    ['POST /providers', { provider: 'smtp', enabeld: false, titel: 'x' }, 'titel is not a known field: the nearest is title'],
    ['PUT /audiences/a', { filters: {} }, 'filters is not a known field: the nearest is filter'],
    [
      'PUT /audiences/a',
      { filter: { operator: 'AND', rules: [{ operater: 'EQ', path: 'a', value: 'b' }] } },
      'filter.rules[0].operater is not a known field: the nearest is operator',
    ],
    ['PUT /tenants/a', { name: 'A', parent_tenant: 'b' }, 'parent_tenant is not a known field: the nearest is parent_tenant_id'],
    ['PUT /tenants/a', { name: 'A', brandid: 'b' }, 'brandid is not a known field: the nearest is brand_id'],
    [
      'PUT /tenants/a',
      { name: 'A', default_preferences: { items: [{ id: 't', status: 'OPTED_IN', custom_rooting: [] }] } },
      'default_preferences.items[0].custom_rooting is not a known field: the nearest is custom_routing',
    ],
    [
      'PUT /users/u/preferences/t',
      { topic: { status: 'OPTED_IN', custom_rooting: ['email'] } },
      'topic.custom_rooting is not a known field: the nearest is custom_routing',
    ],
    ['PUT /users/u/preferences/t', { topic: { status: 'OPTED_IN' }, tenant_id: 'a' }, 'tenant_id is not a known field'],
    ['PUT /users/u/preferences/t', { custom_rooting: [] }, 'custom_rooting is not a known field: the nearest is custom_routing'],
    ['POST /brands', { name: 'A', settings: { colours: {} } }, 'settings.colours is not a known field: the nearest is colors'],
    [
      'PUT /brands/b',
      { name: 'A', settings: { email: { footer: { social: { facebok: {} } } } }, snippets: { items: [{ name: 'a', value: 'b', fmt: 1 }] } },
      'settings.email.footer.social.facebok is not a known field: the nearest is facebook; ' +
        'snippets.items[0].fmt is not a known field: known are name, value, format',
    ],
    [
      'POST /notifications',
      { notification: { name: 'A', content: { ...CONTENT, vers: 1 }, subject: 'x' } },
      'notification.content.vers is not a known field: the nearest is version; notification.subject is not a known field',
    ],
    [
      'POST /routing-strategies',
      { name: 'A', routing: { ...ROUTING, chanels: [] }, channels: { email: { provider: [] } } },
      'routing.chanels is not a known field: the nearest is channels; channels.email.provider is not a known field: the nearest is providers',
    ],
    [
      'PUT /tenants/a/templates/t',
      { template: { content: CONTENT, rooting: ROUTING } },
      'template.rooting is not a known field: the nearest is routing',
    ],
    [
      'PUT /lists/l',
      { name: 'A', preferences: { notifications: { n: { state: 'x' } } } },
      'preferences.notifications.n.state is not a known',
    ],
    ['PUT /users/u/tokens', [{ token: 't', provider: 'apn' }], 'tokens[0].provider is not a known field: the nearest is provider_key'],
    ['PUT /users/u/tokens/t', { provider_key: 'apn', devise: {} }, 'devise is not a known field: the nearest is device'],
    ['POST /content/preview', { content: CONTENT, profil: {} }, 'profil is not a known field: the nearest is profile'],
    ['PUT /events/e', { id: 'n', type: 'notification', zzz: 1 }, 'zzz is not a known field: known are id, type'],
  ])('is refused by %s: %j', async (route, body, sentence) => {
    expect(await expectError(await write(route, body), 400)).toContain(sentence);
    expect(received).toEqual([]);
  });

  it('lists the known fields once, without those that have no effect', async () => {
    const body = { id: 'n', type: 'notification', event: 'e', one: 1, two: 2, typ: 3 };

    expect(await expectError(await write('PUT /events/e', body), 400)).toBe(
      'one is not a known field: known are id, type; two is not a known field; typ is not a known field: the nearest is type',
    );
  });

  it('is refused before the fields that are missing instead of it', async () => {
    expect(await expectError(await write('PUT /tenants/a', { nam: 'A' }), 400)).toBe('nam is not a known field: the nearest is name');
  });

  it('is named for three fields at most', async () => {
    const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`name${n}`, 1]));

    expect((await expectError(await write('PUT /tenants/a', body), 400)).split('; ')).toHaveLength(3);
  });

  it.each<[string, string, unknown]>([
    [
      'an audience as it was read',
      'PUT /audiences/a',
      { id: 'a', name: 'A', description: '', created_at: '', updated_at: '', filter: null },
    ],
    ['a tenant as it was read', 'PUT /tenants/a', { id: 'a', type: 'tenant', name: 'A', properties: PROFILE, user_profile: PROFILE }],
    ['an account as it was read', 'PUT /accounts/a', { id: 'a', type: 'account', name: 'A' }],
    ['a brand as it was read', 'PUT /brands/b', { id: 'b', name: 'B', created: 1, updated: 1, published: 1, version: '', settings: {} }],
    [
      'a strategy as it was read',
      'PUT /routing-strategies/rs',
      { id: 'rs', created: 1, creator: 'x', name: 'A', routing: ROUTING, channels: {}, providers: {} },
    ],
    ['colours of any name', 'PUT /brands/b', { name: 'B', settings: { colors: { primary: '#fff', accent: '#000' } } }],
    ['an event mapping as it was read', 'PUT /events/e', { event: 'e', id: 'n', type: 'notification' }],
    [
      'a template as it was read',
      'PUT /notifications/n',
      { notification: { id: 'n', name: 'A', content: CONTENT, state: 'DRAFT', etag: 'r1', created: 1, creator: 'api', brand: null } },
    ],
    ['a list as it was read', 'PUT /lists/l', { id: 'l', name: 'L', created: '', updated: '' }],
    [
      'associations of newer clients',
      'PUT /users/u/tenants',
      { tenants: [{ tenant_id: 'a', user_id: 'u', type: 'user', profile: PROFILE }] },
    ],
    ['the default status of older clients', 'PUT /users/u/preferences/t', { topic: { status: 'OPTED_IN', default_status: 'OPTED_OUT' } }],
    ['a token as it was read', 'PUT /users/u/tokens/t', { token: 't', provider_key: 'apn', status: 'active', properties: PROFILE }],
    ['members of a patch beside its own', 'PATCH /users/u/tokens/t', { patch: [{ op: 'remove', path: '/device', comment: 'x' }] }],
    [
      'the preferences alone, of older clients',
      'PUT /lists/l/subscriptions/u',
      { notifications: { n: { status: 'OPTED_IN', source: 'list' } } },
    ],
    ['nodes with any field', 'PUT /notifications/n/content', { content: { ...CONTENT, etag: 'x' } }],
    ['a whole element', 'PUT /notifications/n/elements/e', { type: 'text', content: 'Hi', any: 1 }],
    ['settings of any provider', 'POST /providers', { provider: 'http', settings: PROFILE }],
    ['a restored list', 'PUT /lists/l/restore', { any: 1 }],
  ])('is not %s', async (_, route, body) => {
    expect((await write(route, body)).ok).toBe(true);
    expect(received).toHaveLength(1);
  });

  it('is named in a header where the body is a profile', async () => {
    const answer = await write('PUT /profiles/u', { profile: PROFILE, profil: 1 });

    expect(answer.ok).toBe(true);
    expect(answer.headers.get('x-tidings-warning')).toBe('Unknown fields were ignored: "profil"');
  });
});
