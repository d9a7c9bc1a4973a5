import { compareRoutes } from '@tidings/contracts/core/operation';
import { operations } from '@tidings/contracts/registry';
import { SharedSystem } from './testing/shared-system';

type Body = Record<string, unknown>;
/** Requests that make the resource, and the values of its path: `/brands/:id` by their names. */
interface Resource {
  readonly make: () => Promise<Record<string, string>>;
  /** The body of a PUT that contains what was read. Default: that itself. */
  readonly body?: (read: Body) => unknown;
}

const CONTENT = { version: '2022-01-01', elements: [{ type: 'text', content: 'Hello {name}' }] };
const ROUTING = { method: 'single', channels: ['email'] };
const PREFERENCES = { notifications: { welcome: { status: 'OPTED_OUT' } } };

let system: SharedSystem;
beforeAll(async () => {
  system = await SharedSystem.join();
});
afterAll(() => system?.leave());

async function call(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await system.client.request(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Body;
}

/** A resource at `path`, made there by one PUT. */
const put = (path: string, body: unknown, names: Record<string, string>): Resource => ({
  make: async () => {
    await call('PUT', path, body);
    return names;
  },
});

async function newTemplate() {
  const { id } = await call('POST', '/notifications', {
    notification: {
      name: 'Welcome',
      content: CONTENT,
      alias: `alias-${Math.random()}`,
      tags: ['orders'],
      email: { reply_to: 'a@example.com' },
    },
    state: 'PUBLISHED',
  });
  return { id: id as string };
}

async function newTopic(default_status = 'OPTED_IN') {
  const section = (await call('POST', '/preferences/sections', { name: 'News', routing_options: ['email'] })).id as string;
  const topic = (await call('POST', `/preferences/sections/${section}/topics`, { name: 'Releases', default_status })).id as string;
  return { section_id: section, topic_id: topic };
}

const TENANT = {
  name: 'Acme',
  brand_id: 'b',
  properties: { city: 'Lyon' },
  default_preferences: { items: [] },
};

/** By the path of GET and PUT. */
const RESOURCES: Record<string, Resource> = {
  '/accounts/:account_id': put('/accounts/account', TENANT, { account_id: 'account' }),
  '/audiences/:audience_id': put(
    '/audiences/all',
    { name: 'All', filter: { operator: 'EQ', path: 'title', value: 'x' } },
    { audience_id: 'all' },
  ),
  '/brands/:brand_id': {
    make: async () => ({
      brand_id: (await call('POST', '/brands', { name: 'Acme', settings: { colors: { primary: '#fff' } } })).id as string,
    }),
  },
  '/events/:event_id': put('/events/shipped', { id: 'welcome', type: 'notification' }, { event_id: 'shipped' }),
  '/lists/:list_id': put('/lists/team', { name: 'Team', preferences: PREFERENCES }, { list_id: 'team' }),
  '/lists/:list_id/subscriptions': {
    make: async () => {
      await call('PUT', '/lists/readers', { name: 'Readers' });
      await call('PUT', '/lists/readers/subscriptions', { recipients: [{ recipientId: 'ada', preferences: PREFERENCES }] });
      return { list_id: 'readers' };
    },
    body: ({ items }) => ({ recipients: items }),
  },
  '/notifications/:id': { make: newTemplate, body: (notification) => ({ notification }) },
  '/notifications/:id/content': { make: newTemplate, body: (content) => ({ content }) },
  '/notifications/:id/:submissionId/checks': {
    make: async () => {
      const names = { ...(await newTemplate()), submissionId: String(Date.now()) };
      await call('PUT', `/notifications/${names.id}/${names.submissionId}/checks`, {
        checks: [{ id: 'spelling', status: 'PENDING', type: 'custom' }],
      });
      return names;
    },
  },
  '/preferences/:recipient_id': put('/preferences/ada', PREFERENCES, { recipient_id: 'ada' }),
  '/preferences/sections/:section_id': { make: () => newTopic() },
  '/preferences/sections/:section_id/topics/:topic_id': { make: () => newTopic() },
  '/profiles/:user_id': put('/profiles/ada', { profile: { name: 'Ada' } }, { user_id: 'ada' }),
  '/providers/:id': {
    make: async () => ({
      id: (
        await call('POST', '/providers', {
          provider: 'smtp',
          alias: 'office',
          settings: { host: 'mail.example.com', from_address: 'a@example.com' },
        })
      ).id as string,
    }),
  },
  '/routing-strategies/:id': {
    make: async () => ({ id: (await call('POST', '/routing-strategies', { name: 'A', routing: ROUTING, tags: ['a'] })).id as string }),
  },
  '/suppressions/:channel/:address': put(
    '/suppressions/email/ada@example.com',
    { reason: 'complaint' },
    { channel: 'email', address: 'ada@example.com' },
  ),
  '/tenants/:tenant_id': put('/tenants/tenant', TENANT, { tenant_id: 'tenant' }),
  '/tenants/:tenant_id/templates/:template_id': {
    ...put(
      '/tenants/acme/templates/welcome',
      { template: { content: CONTENT, routing: ROUTING } },
      { tenant_id: 'acme', template_id: 'welcome' },
    ),
    body: ({ data, ...read }) => ({ ...read, template: data }),
  },
  '/translations/:domain/:locale': {
    make: async () => {
      await call('PUT', '/translations/default/fr_FR', JSON.stringify('msgid "Hello"\nmsgstr "Bonjour"\n'));
      return { domain: 'default', locale: 'fr_FR' };
    },
    body: (text) => JSON.stringify(text), // a string is sent as it is
  },
  '/users/:user_id/preferences': {
    make: async () => {
      await newTopic();
      await newTopic('REQUIRED');
      return { user_id: 'bob' };
    },
    body: ({ items }) => ({ topics: items }),
  },
  '/users/:user_id/preferences/:topic_id': { make: async () => ({ user_id: 'bob', topic_id: (await newTopic('REQUIRED')).topic_id }) },
  '/users/:user_id/tenants': {
    ...put('/users/bob/tenants/acme', { profile: { title: 'Engineer' } }, { user_id: 'bob' }),
    body: ({ items }) => ({ tenants: items }),
  },
  '/users/:user_id/tenants/:tenant_id': put(
    '/users/ada/tenants/acme',
    { profile: { title: 'Engineer' } },
    { user_id: 'ada', tenant_id: 'acme' },
  ),
  '/users/:user_id/tokens': put('/users/ada/tokens/one', { provider_key: 'apn' }, { user_id: 'ada' }),
  '/users/:user_id/tokens/*token': put(
    '/users/cy/tokens/two',
    { provider_key: 'apn', device: { platform: 'ios' } },
    { user_id: 'cy', token: 'two' },
  ),
};

const isOf = (method: string, path: string) => operations.some((operation) => operation.method === method && operation.path === path);
const paths = [...operations]
  .sort(compareRoutes)
  .flatMap(({ method, path }) => (method === 'PUT' && path && isOf('GET', path) ? [path] : []));

it('has every path with GET and PUT', () => {
  expect(Object.keys(RESOURCES).sort()).toEqual([...paths].sort());
});

it.each(paths)('%s is put back as it was read, and is the same then', async (path) => {
  const { make, body = (read: Body) => read } = RESOURCES[path]!;
  const names = await make();
  const at = path.replace(/[:*](\w+)/g, (_, name: string) => encodeURIComponent(names[name]!));
  const read = await call('GET', at);

  await call('PUT', at, body(read));

  expect(withoutTimes(await call('GET', at))).toEqual(withoutTimes(read));
});

it('the lists of a user are subscribed to as they were read', async () => {
  await call('POST', '/profiles/dora/lists', { lists: [{ listId: 'team.x', preferences: PREFERENCES }, { listId: 'team.y' }] });
  const read = await call('GET', '/profiles/dora/lists');

  await call('DELETE', '/profiles/dora/lists');
  await call('POST', '/profiles/dora/lists', { lists: read.results });

  expect((await call('GET', '/profiles/dora/lists')).results).toEqual(read.results);
  const unnamed = await system.client.request('POST', '/profiles/dora/lists', { body: { lists: [{}] } });
  expect(unnamed).toMatchObject({ status: 400, body: { message: 'lists[0].listId is required' } });
});

/** Without what every change changes: times and versions. */
function withoutTimes(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(withoutTimes);
  if (typeof read !== 'object' || read === null) return read;
  const changed = /^(updated|updated_at|updater|version|etag|published)$/;
  return Object.fromEntries(Object.entries(read).flatMap(([name, value]) => (changed.test(name) ? [] : [[name, withoutTimes(value)]])));
}
