import { randomUUID } from 'node:crypto';
import { type PutTenantTemplate, TENANT_VERSIONS_RETAINED_MAX, tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import type { CallContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { sharedContent } from '../testing/start-content';
import { textContent } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
let context: CallContext;

beforeAll(async () => {
  content = await sharedContent();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

const key = { tenant_id: 'acme/1', template_id: 'welcome' };
const put = (text: string, published?: boolean, template_id = key.template_id) =>
  call(tenantTemplates.replace, context, { ...key, template_id, template: { content: textContent(text) }, published });
const version = (name: string) => call(tenantTemplates.retrieveVersion, context, { ...key, version: name });
const iso = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string;

it('makes a version of a put and publishes it if requested', async () => {
  const routing = { method: 'all' as const, channels: ['email', { method: 'single' as const, channels: ['sms', 'push'] }] };
  const template = { content: textContent('a'), routing, channels: { email: { providers: ['ses'] } }, providers: { ses: { timeouts: 5 } } };

  await expect(put('first')).resolves.toEqual({ id: 'welcome', version: 'v1' });
  await expect(call(tenantTemplates.replace, context, { ...key, template, published: true })).resolves.toEqual({
    id: 'welcome',
    version: 'v2',
    published_at: iso,
  });
  await put('third');

  const { content: _, ...data } = { ...template, content: undefined };
  expect(await call(tenantTemplates.retrieve, context, key)).toEqual({
    id: 'welcome',
    version: 'v2',
    created_at: iso,
    updated_at: iso,
    published_at: iso,
    data: { ...data, content: textContent('a') },
  });
  expect(await version('latest')).toMatchObject({ version: 'v3', data: { content: textContent('third') } });
  expect(await version('v1')).toMatchObject({ version: 'v1', data: { content: textContent('first') } });
});

it('publishes any version', async () => {
  await put('first');
  await expect(version('published')).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('is not published') as string,
  });
  await expect(call(tenantTemplates.retrieve, context, key)).resolves.toMatchObject({ version: 'v1', published_at: null });
  await put('second');

  await expect(call(tenantTemplates.publish, context, key)).resolves.toEqual({ id: 'welcome', version: 'v2', published_at: iso });
  await expect(call(tenantTemplates.publish, context, { ...key, version: 'v1' })).resolves.toMatchObject({ version: 'v1' });

  expect(await version('published')).toMatchObject({ version: 'v1' });
  for (const [name, code] of [
    ['v009', 'not_found'],
    ['9', 'invalid_request'],
    ['v0', 'invalid_request'],
  ] as const) {
    const refused = { code, message: expect.stringContaining(name) as string };
    await expect(version(name)).rejects.toMatchObject(refused);
    await expect(call(tenantTemplates.publish, context, { ...key, version: name })).rejects.toMatchObject(refused);
  }
});

it('pages templates by id', async () => {
  for (const id of ['c', 'a', 'b']) await put(id, true, id);

  const first = await call(tenantTemplates.list, context, { tenant_id: key.tenant_id, limit: 2 });
  const second = await call(tenantTemplates.list, context, { tenant_id: key.tenant_id, limit: 2, cursor: first.cursor });

  expect(first).toMatchObject({ type: 'list', has_more: true, url: '/tenants/acme%2F1/templates?limit=2' });
  expect(first.items.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(first.items[0]).toEqual({
    id: 'a',
    version: 'v1',
    created_at: iso,
    updated_at: iso,
    published_at: iso,
    data: { routing: { method: 'single', channels: [] } },
  });
  expect(second).toMatchObject({ has_more: false, items: [{ id: 'c' }] });
});

it('deletes a template with its versions', async () => {
  await put('first', true);

  await call(tenantTemplates.remove, context, key);

  for (const attempt of [
    () => call(tenantTemplates.retrieve, context, key),
    () => version('v1'),
    () => call(tenantTemplates.remove, context, key),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found', message: 'Tenant acme/1 has no template welcome' });
  }
  await expect(put('again')).resolves.toMatchObject({ version: 'v1' });
});

it('returns a routing with a method alone without channels, and accepts it back', async () => {
  const putRouting = (routing: PutTenantTemplate['template']['routing']) =>
    call(tenantTemplates.replace, context, { ...key, template: { content: textContent('a'), routing }, published: true });
  await putRouting({ method: 'all' });
  const { data } = await call(tenantTemplates.retrieve, context, key);
  expect(data.routing).toEqual({ method: 'all', channels: [] });

  await putRouting(data.routing);

  expect((await call(tenantTemplates.retrieve, context, key)).data.routing).toEqual(data.routing);
});

it('names the path of an error in a template', async () => {
  const wrong = (template: object) => call(tenantTemplates.replace, context, { ...key, template: template as { content: never } });

  for (const [template, path] of [
    [{ content: { elements: [{}] } }, 'template.content.elements[0].type'],
    [{ content: textContent('a'), routing: { method: 'some', channels: [] } }, 'template.routing.method'],
    [{ content: textContent('a'), routing: { method: 'all', channels: [1] } }, 'template.routing.channels[0]'],
    [
      { content: textContent('a'), routing: { method: 'all', channels: [{ method: 'all', channels: [] }] } },
      'template.routing.channels[0].channels must name',
    ],
    [{ content: textContent('a'), channels: { email: { if: 1 } } }, 'template.channels.email.if'],
    [{ content: textContent('a'), providers: { ses: { timeouts: 'x' } } }, 'template.providers.ses.timeouts'],
  ] as const) {
    await expect(wrong(template)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(path) as string });
  }
});

it('numbers concurrent puts one by one', async () => {
  const versions = await Promise.all(Array.from({ length: 10 }, (_, n) => put(`text ${n}`, n % 2 === 0)));

  expect(new Set(versions.map(({ version: name }) => name)).size).toBe(10);
});

it('removes old versions, but never the published one', async () => {
  await put('published', true);
  await content.sql('update tenant_templates set latest_version = $2 where workspace_id = $1', [
    context.workspaceId,
    TENANT_VERSIONS_RETAINED_MAX,
  ]);
  await put('beyond');
  await put('beyond that');

  expect(await version('published')).toMatchObject({ version: 'v1' });
  await call(tenantTemplates.publish, context, key);
  await put('and once more');
  await expect(version('v1')).rejects.toMatchObject({ code: 'not_found' });
});

it('makes one version of a put that is delivered twice', async () => {
  const redelivered = content.redelivered();
  const deliver = () => redelivered(tenantTemplates.replace, context, { ...key, template: { content: textContent('a') } });

  const first = await deliver();

  await expect(deliver()).resolves.toEqual(first);
  await expect(version('latest')).resolves.toMatchObject({ version: 'v1' });
});

describe('templates of two tenants with one id', () => {
  const of = (tenant_id: string) => ({ tenant_id, template_id: 'welcome' });
  const putOf = (tenant_id: string, text: string, published?: boolean) =>
    call(tenantTemplates.replace, context, { ...of(tenant_id), template: { content: textContent(text) }, published });
  const publishOf = (tenant_id: string, name?: string) => call(tenantTemplates.publish, context, { ...of(tenant_id), version: name });
  /** The listing, the published template, and two versions. */
  const readOf = async (tenant_id: string) => [
    (await call(tenantTemplates.list, context, { tenant_id })).items,
    await call(tenantTemplates.retrieve, context, of(tenant_id)),
    await call(tenantTemplates.retrieveVersion, context, { ...of(tenant_id), version: 'v1' }),
    await call(tenantTemplates.retrieveVersion, context, { ...of(tenant_id), version: 'latest' }),
  ];
  const shown = (name: string, text: string) => expect.objectContaining({ version: name, data: dataWith(text) }) as object;
  const dataWith = (text: string) => expect.objectContaining({ content: textContent(text) }) as object;

  beforeEach(async () => {
    await putOf('acme', 'acme 1');
    await putOf('acme', 'acme 2', true);
    await putOf('acme', 'acme 3');
    await putOf('globex', 'globex 1', true);
    await putOf('globex', 'globex 2');
  });

  it('are read and listed per tenant', async () => {
    const listed = (name: string) => [expect.objectContaining({ id: 'welcome', version: name }) as object];

    expect(await readOf('acme')).toEqual([listed('v2'), shown('v2', 'acme 2'), shown('v1', 'acme 1'), shown('v3', 'acme 3')]);
    expect(await readOf('globex')).toEqual([listed('v1'), shown('v1', 'globex 1'), shown('v1', 'globex 1'), shown('v2', 'globex 2')]);
  });

  it('are published per tenant', async () => {
    await expect(publishOf('globex', 'v3')).rejects.toMatchObject({ code: 'not_found' });

    await expect(publishOf('acme')).resolves.toMatchObject({ version: 'v3' });
    await expect(publishOf('globex')).resolves.toMatchObject({ version: 'v2' });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a put', () => putOf('acme', 'acme 4', true)],
    ['a put that removes old versions', () => putOf('acme', 'acme 101')],
    ['publishing', () => publishOf('acme', 'v1')],
    ['deleting', () => call(tenantTemplates.remove, context, of('acme'))],
  ])('of one tenant do not change through %s of the other', async (_, act) => {
    await content.sql(`update tenant_templates set latest_version = $2 where workspace_id = $1 and tenant_id = 'acme'`, [
      context.workspaceId,
      TENANT_VERSIONS_RETAINED_MAX,
    ]);
    const before = await readOf('globex');

    await act();

    expect(await readOf('globex')).toEqual(before);
  });
});

describeWorkspaceIsolation('a tenant’s template', {
  arrange: async (owner) =>
    void (await call(tenantTemplates.replace, owner, { ...key, template: { content: textContent('own') }, published: true })),
  read: (owner) => call(tenantTemplates.retrieve, owner, key),
  attempts: {
    retrieve: { attempt: (stranger) => call(tenantTemplates.retrieve, stranger, key), refusedWith: 'not_found' },
    retrieveVersion: {
      attempt: (stranger) => call(tenantTemplates.retrieveVersion, stranger, { ...key, version: 'v1' }),
      refusedWith: 'not_found',
    },
    publish: { attempt: (stranger) => call(tenantTemplates.publish, stranger, key), refusedWith: 'not_found' },
    remove: { attempt: (stranger) => call(tenantTemplates.remove, stranger, key), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(tenantTemplates.list, stranger, { tenant_id: key.tenant_id }) },
    replace: { attempt: (stranger) => call(tenantTemplates.replace, stranger, { ...key, template: { content: textContent('x') } }) },
  },
});
