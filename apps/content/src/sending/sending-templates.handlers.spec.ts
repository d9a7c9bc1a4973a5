import { randomUUID } from 'node:crypto';
import { eventMappings } from '@tidings/contracts/content/event-mappings';
import { notificationBlocks } from '@tidings/contracts/content/notification-blocks';
import { notifications } from '@tidings/contracts/content/notifications';
import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import {
  type LoadedTemplate,
  LOADED_TEMPLATES_BYTES_MAX,
  LOADED_TEMPLATES_MAX,
  sendingTemplates,
} from '@tidings/contracts/content/sending';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { sharedContent } from '../testing/start-content';
import { buildTemplate, payloadOf, textContent } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
let context: CallContext;

beforeAll(async () => {
  content = await sharedContent();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

type Name = { template: string; tenant_id?: string; workspace_id?: string };
const load = async (...names: (string | Name)[]): Promise<(LoadedTemplate | null)[]> => {
  const templates = names.map((one) => ({ workspace_id: context.workspaceId, ...(typeof one === 'string' ? { template: one } : one) }));
  return (await call(sendingTemplates.load, systemContext(randomUUID()), { templates })).templates;
};
const textOf = (loaded: LoadedTemplate | null | undefined) => loaded?.content?.elements[0]?.content;
const putTenants = (tenant_id: string, template_id: string, text: string, published = true, more: object = {}) =>
  call(tenantTemplates.replace, context, { tenant_id, template_id, template: { content: textContent(text), ...more }, published });

it('returns the published version with everything a send needs', async () => {
  const channels = { email: { providers: ['ses'] } };
  const providers = { ses: { override: { a: 1 } } };
  const routing = { method: 'all' as const, channels: ['email'] };
  const { id: strategy_id } = await call(routingStrategies.create, context, { name: 'S', routing, channels, providers });
  const { id } = await buildTemplate(call, context, {
    name: 'Order',
    tags: ['shop'],
    brand: { id: 'brd_1' },
    subscription: { topic_id: 'orders' },
    routing: { strategy_id },
    email: { from: 'shop@example.com' },
    content: textContent('published'),
    state: 'PUBLISHED',
  });
  await call(notifications.replace, context, { id, notification: payloadOf({ content: textContent('draft') }) });

  await expect(load(id)).resolves.toEqual([
    {
      notification_id: id,
      alias: null,
      matched: 'id',
      published: true,
      version: 'v001',
      content: textContent('published'),
      tenant_id: null,
      name: 'Order',
      tags: ['shop'],
      brand: 'brd_1',
      topic_id: 'orders',
      email: { from: 'shop@example.com' },
      routing,
      channels,
      providers,
    },
  ]);
});

it('returns whether a missing variable fails a channel, also for the tenant’s content', async () => {
  const { id } = await buildTemplate(call, context, { throw_on_missing_variable: true, state: 'PUBLISHED' });
  await call(notifications.replace, context, { id, notification: payloadOf() });
  await putTenants('acme', id, 'theirs');

  const [ours, theirs] = await load(id, { template: id, tenant_id: 'acme' });
  expect([ours, theirs]).toMatchObject([{ throw_on_missing_variable: true }, { tenant_id: 'acme', throw_on_missing_variable: true }]);

  await call(notifications.publish, context, { id });
  expect((await load(id))[0]).not.toHaveProperty('throw_on_missing_variable');
});

it('finds a template by its id, then by its alias, then by a mapped event', async () => {
  const { id } = await buildTemplate(call, context, { alias: 'by-alias', state: 'PUBLISHED' });
  const other = await buildTemplate(call, context, { alias: 'both', state: 'PUBLISHED' });
  await call(eventMappings.replace, context, { event_id: 'BY EVENT', id, type: 'notification' as const });
  await call(eventMappings.replace, context, { event_id: 'both', id, type: 'notification' as const });
  await call(eventMappings.replace, context, { event_id: other.id, id, type: 'notification' as const });
  await call(eventMappings.replace, context, { event_id: 'dangling', id: 'nt_missing', type: 'notification' as const });

  const found = await load('BY EVENT', 'both', 'unknown', 'by-alias', 'dangling', id, other.id);

  expect(found.map((one) => one && [one.notification_id, one.matched])).toEqual([
    [id, 'event'],
    [other.id, 'alias'],
    null,
    [id, 'alias'],
    null,
    [id, 'id'],
    [other.id, 'id'],
  ]);
});

it('finds a template by an event that is mapped to its alias, now or later', async () => {
  const map = (event_id: string, id: string) => call(eventMappings.replace, context, { event_id, id, type: 'notification' as const });
  await map('ORDER_PLACED', 'order');
  expect(await load('ORDER_PLACED')).toEqual([null]);
  const { id } = await buildTemplate(call, context, { alias: 'order', state: 'PUBLISHED' });
  await map('BY_ID', id);

  const [found] = await load('ORDER_PLACED');

  expect(found).toMatchObject({ notification_id: id, alias: 'order', matched: 'event' });
  await expect(call(eventMappings.retrieve, context, { event_id: 'ORDER_PLACED' })).resolves.toMatchObject({ id: 'order' });
  const listed = await call(notifications.list, context, { event_id: 'ORDER_PLACED' });
  expect(listed.results).toMatchObject([{ id, event_ids: ['BY_ID', 'ORDER_PLACED'] }]);
});

it('names what is no template', async () => {
  const { id } = await buildTemplate(call, context, { alias: 'order' });
  const archived = await buildTemplate(call, context);
  await call(notifications.archive, context, { id: archived.id });
  await call(eventMappings.replace, context, { event_id: 'event', id, type: 'notification' as const });
  const names = ['b', id, archived.id, 'order', 'event', 'b\0', '', 'x'.repeat(10_000), 'a'];

  const found = call(sendingTemplates.findMissing, context, { names });
  await expect(found).resolves.toEqual({ missing: names.filter((name) => name !== id && name !== 'order') });
  await expect(call(sendingTemplates.findMissing, contextOf(randomUUID()), { names: ['order'] })).resolves.toEqual({ missing: ['order'] });
});

it('returns an unpublished template without content, and null for an archived one', async () => {
  const draft = await buildTemplate(call, context, { alias: 'draft', name: 'Draft' });
  const archived = await buildTemplate(call, context, { state: 'PUBLISHED' });
  await call(notifications.archive, context, { id: archived.id });

  const [found, nothing] = await load('draft', archived.id);

  expect(found).toMatchObject({ notification_id: draft.id, published: false, version: null, content: null, name: 'Draft', brand: null });
  expect(nothing).toBeNull();
});

it('returns null for invalid names and goes on with the others', async () => {
  const { id } = await buildTemplate(call, context, { state: 'PUBLISHED' });

  const found = await load('a\0b', '', '\ud800', 'x'.repeat(10_000), { template: id, tenant_id: 'a\0b' }, 'tenant/', id);

  expect(found.map((one) => one?.notification_id)).toEqual([undefined, undefined, undefined, undefined, id, undefined, id]);
});

it('returns the published version of a tenant instead', async () => {
  const { id } = await buildTemplate(call, context, {
    alias: 'welcome',
    name: 'Welcome',
    content: textContent('ours'),
    state: 'PUBLISHED',
  });
  await putTenants('by-id', id, 'theirs', true, { routing: { method: 'single', channels: ['sms'] } });
  await putTenants('by-id', id, 'their draft', false);
  await putTenants('by-alias', 'welcome', 'by alias');
  await expect(load({ template: id, tenant_id: 'by-alias' }).then(([one]) => textOf(one))).resolves.toBe('by alias');
  await putTenants('draft', 'welcome', 'not published', false);

  const [byId, byAlias, draft, none] = await load(
    ...['by-id', 'by-alias', 'draft', 'unknown'].map((tenant_id) => ({ template: 'welcome', tenant_id })),
  );

  expect(byId).toMatchObject({ notification_id: id, name: 'Welcome', tenant_id: 'by-id', version: 'v1', routing: { channels: ['sms'] } });
  expect([byId, byAlias, draft, none].map(textOf)).toEqual(['theirs', 'by alias', 'ours', 'ours']);
});

it('returns to each tenant its own version', async () => {
  await buildTemplate(call, context, { alias: 'welcome', state: 'PUBLISHED' });
  await putTenants('acme', 'welcome', 'of acme');
  await putTenants('globex', 'welcome', 'of globex');

  const loaded = await load(...['globex', 'acme'].map((tenant_id) => ({ template: 'welcome', tenant_id })));

  expect(loaded.map(textOf)).toEqual(['of globex', 'of acme']);
});

it('uses the workspace’s routing where a tenant puts a template back as read, without routing', async () => {
  const routing = { method: 'all' as const, channels: ['email'] };
  const { id: strategy_id } = await call(routingStrategies.create, context, { name: 'S', routing });
  await buildTemplate(call, context, { alias: 'welcome', routing: { strategy_id }, state: 'PUBLISHED' });
  await putTenants('acme', 'welcome', 'first');
  const { data } = await call(tenantTemplates.retrieve, context, { tenant_id: 'acme', template_id: 'welcome' });

  await putTenants('acme', 'welcome', 'second', true, { routing: data.routing });

  const [loaded] = await load({ template: 'welcome', tenant_id: 'acme' });
  expect(textOf(loaded)).toBe('second');
  expect(loaded?.routing).toEqual(routing);
});

it.each([{ method: 'single' as const }, { method: 'single' as const, channels: null as never }])(
  'adds the workspace’s channels to a tenant’s routing with a method alone: %j',
  async (routing) => {
    const channels = ['email', 'sms'];
    const { id: strategy_id } = await call(routingStrategies.create, context, { name: 'S', routing: { method: 'all', channels } });
    const alias = randomUUID();
    await buildTemplate(call, context, { alias, routing: { strategy_id }, state: 'PUBLISHED' });

    await putTenants('acme', alias, 'theirs', true, { routing });

    const [loaded] = await load({ template: alias, tenant_id: 'acme' });
    expect(loaded?.routing).toEqual({ method: 'single', channels });
  },
);

it('returns a template that only the tenant has', async () => {
  const { id } = await buildTemplate(call, context, { alias: 'ours', state: 'PUBLISHED' });
  await putTenants('acme', 'own', 'their own');

  const [own, prefixed, elsewhere, ours, unnamed] = await load(
    { template: 'own', tenant_id: 'acme' },
    { template: 'tenant/own', tenant_id: 'acme' },
    { template: 'tenant/own', tenant_id: 'other' },
    { template: 'tenant/ours', tenant_id: 'acme' },
    'tenant/own',
  );

  expect(own).toEqual({
    notification_id: 'own',
    alias: null,
    matched: 'tenant',
    published: true,
    version: 'v1',
    content: textContent('their own'),
    tenant_id: 'acme',
    name: 'own',
    tags: [],
    topic_id: null,
    email: null,
    routing: null,
    channels: {},
    providers: {},
  });
  expect(prefixed).toEqual(own);
  expect([elsewhere, ours, unnamed]).toEqual([null, null, null]);
  expect(id).toBeDefined();
});

it('returns blocks as Elemental', async () => {
  const { id } = await buildTemplate(call, context);
  await call(notificationBlocks.replace, context, { id, blocks: [{ id: 'b', type: 'markdown', content: '*Hi*' }] });

  await expect(load(id)).resolves.toMatchObject([
    { published: true, content: { elements: [{ type: 'text', id: 'b', content: '*Hi*', format: 'markdown' }] } },
  ]);
});

it('finds templates of several workspaces in one call, each in its own', async () => {
  const mine = await buildTemplate(call, context, { alias: 'same', content: textContent('mine'), state: 'PUBLISHED' });
  const other = contextOf(randomUUID());
  await buildTemplate(call, other, { alias: 'same', content: textContent('theirs'), state: 'PUBLISHED' });

  const found = await load(
    'same',
    { template: 'same', workspace_id: other.workspaceId },
    { template: mine.id, workspace_id: other.workspaceId },
  );

  expect(found.map(textOf)).toEqual(['mine', 'theirs', undefined]);
});

it('returns the first templates within the size limit, at least one', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const elements = Array.from({ length: 3 }, () => ({ type: 'html' as const, content: `${n}`.repeat(300_000) }));
    ids.push((await buildTemplate(call, context, { content: { elements }, state: 'PUBLISHED' })).id);
  }

  const first = await load(...ids);
  const rest = await load(...ids.slice(first.length));

  expect(first.length).toBeLessThan(6);
  expect(first.length * 900_000).toBeGreaterThan(LOADED_TEMPLATES_BYTES_MAX / 2);
  expect([...first, ...rest].map((one) => one?.notification_id)).toEqual(ids);
});

it('runs as many statements for five hundred templates as for one', async () => {
  const { id } = await buildTemplate(call, context, { state: 'PUBLISHED' });
  await call(eventMappings.replace, context, { event_id: 'mapped', id, type: 'notification' as const });
  await putTenants('acme', 'own', 'theirs');
  const kinds = [id, 'mapped', 'unknown', { template: 'own', tenant_id: 'acme' }];

  const few = await runsOf(() => load(...kinds));
  const many = await runsOf(() => load(...Array.from({ length: LOADED_TEMPLATES_MAX }, (_, n) => kinds[n % kinds.length]!)));

  expect(many).toHaveLength(few.length);
  expect(few.length).toBeLessThanOrEqual(6);
});
