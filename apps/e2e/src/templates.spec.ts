import Courier, { BadRequestError, ConflictError, NotFoundError } from '@trycourier/courier';
import { ApiClient } from './testing/api-client';
import { SharedSystem } from './testing/shared-system';
type Payload = Courier.NotificationTemplatePayload;

/** A payload with one text element; the cast is needed because the SDK's node type has only the common fields. */
const payloadOf = (text: string, more: Partial<Payload> = {}): Payload => ({
  name: 'Welcome',
  tags: [],
  brand: null,
  subscription: null,
  routing: null,
  content: { version: '2022-01-01', elements: [{ type: 'text', content: text } as Payload['content']['elements'][number]] },
  ...more,
});

describe('templates through the official Node SDK', () => {
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join();
    sdk = new Courier({ apiKey: system.key, baseURL: system.url, maxRetries: 0 });
  });

  afterAll(() => system?.leave());

  it('creates, lists, replaces, publishes and archives a template', async () => {
    const strategy = await sdk.routingStrategies.create({ name: 'E-mail', routing: { method: 'single', channels: ['email'] } });
    const head = {
      tags: ['onboarding'],
      brand: { id: 'brand_abc' },
      subscription: { topic_id: 'marketing' },
      routing: { strategy_id: strategy.id },
    };
    const created = await sdk.notifications.create({ notification: payloadOf('one', head), state: 'DRAFT' });
    expect(created).toMatchObject({ ...payloadOf('one', head), state: 'DRAFT', id: expect.stringMatching(/^nt_/) as string });

    const { results } = await sdk.notifications.list({ notes: true });
    expect(results.find(({ id }) => id === created.id)).toEqual({
      id: created.id,
      title: 'Welcome',
      topic_id: 'marketing',
      event_ids: [],
      routing: { method: 'single', channels: ['email'] },
      tags: { data: [{ id: 'onboarding', name: 'onboarding' }] },
      created_at: created.created,
      updated_at: created.created,
      note: '',
    });

    await sdk.notifications.publish(created.id);
    const replaced = await sdk.notifications.replace(created.id, { notification: payloadOf('two'), state: 'PUBLISHED' });
    expect(replaced).toMatchObject({ state: 'PUBLISHED', routing: null, tags: [] });
    expect(await sdk.notifications.listVersions(created.id)).toMatchObject({
      paging: { more: false },
      versions: [{ version: 'draft', has_changes: false }, { version: 'published:v002' }, { version: 'v001' }],
    });
    await sdk.notifications.publish(created.id, { version: 'v001' });
    expect(await sdk.notifications.retrieve(created.id)).toMatchObject({ ...payloadOf('one', head) });
    expect(await sdk.notifications.retrieve(created.id, { version: 'draft' })).toMatchObject({ ...payloadOf('two') });

    await sdk.notifications.archive(created.id);
    await expect(sdk.notifications.retrieve(created.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.notifications.archive(created.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('replaces content, an element and a locale', async () => {
    const { id } = await sdk.notifications.create({ notification: payloadOf('one') });

    const put = await sdk.notifications.putContent(id, { content: { elements: [{ type: 'text', id: 'a', content: 'two' } as never] } });
    expect(put).toMatchObject({ id, version: 'draft', state: 'DRAFT', elements: [{ id: 'a' }] });
    await sdk.notifications.putElement('a', { id, type: 'text', data: { content: 'three' }, if: 'data.vip' });
    await sdk.notifications.putLocale('fr_FR', { id, elements: [{ id: 'a', content: 'trois' }], state: 'PUBLISHED' });

    const checksum = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
    expect(await sdk.notifications.retrieveContent(id, { version: 'v001' })).toMatchObject({
      version: '2022-01-01',
      elements: [{ type: 'text', id: 'a', content: 'three', if: 'data.vip', checksum, locales: { fr_FR: { content: 'trois', checksum } } }],
    });
  });

  it('rejects with the error class of the cause', async () => {
    const wrong = sdk.notifications.create({
      notification: { ...payloadOf('x'), content: { version: '2022-01-01', elements: [{ type: 'no' } as never] } },
    });
    await expect(wrong).rejects.toBeInstanceOf(BadRequestError);
    await expect(wrong).rejects.toThrow(/notification\.content\.elements\[0\]\.type/);

    await sdk.notifications.create({ notification: { ...payloadOf('x'), alias: 'in-use' } as Payload });
    await expect(sdk.notifications.create({ notification: { ...payloadOf('x'), alias: 'in-use' } as Payload })).rejects.toBeInstanceOf(
      ConflictError,
    );
  });

  it('stores the checks of a submission', async () => {
    const { id } = await sdk.notifications.create({ notification: payloadOf('one') });
    const submission = String(Date.now());

    const { checks } = await sdk.notifications.checks.update(submission, {
      id,
      checks: [{ id: 'spelling', status: 'PENDING', type: 'custom' }],
    });

    expect(checks).toEqual([{ id: 'spelling', status: 'PENDING', type: 'custom', updated: expect.any(Number) as number }]);
    expect(await sdk.notifications.checks.list(submission, { id })).toEqual({ checks });
    await sdk.notifications.checks.delete(submission, { id });
    await expect(sdk.notifications.checks.list(submission, { id })).rejects.toBeInstanceOf(NotFoundError);
  });

  it('stores templates of tenants', async () => {
    const template = { content: payloadOf('theirs').content, routing: { method: 'all' as const, channels: ['email', 'sms'] } };

    const put = (more: object) => sdk.tenants.templates.replace('welcome', { tenant_id: 'acme', template, ...more }).withResponse();
    const first = await put({});
    expect([first.response.status, first.data]).toEqual([201, { id: 'welcome', version: 'v1' }]);
    const second = await put({ published: true });
    expect([second.response.status, second.data]).toMatchObject([200, { version: 'v2', published_at: expect.any(String) as string }]);

    expect(await sdk.tenants.templates.list('acme')).toMatchObject({
      type: 'list',
      has_more: false,
      items: [{ id: 'welcome', version: 'v2', data: { routing: template.routing } }],
    });
    expect(await sdk.tenants.templates.publish('welcome', { tenant_id: 'acme', version: 'v1' })).toMatchObject({ version: 'v1' });
    expect(await sdk.tenants.templates.retrieve('welcome', { tenant_id: 'acme' })).toMatchObject({
      version: 'v1',
      data: { content: template.content },
    });
    expect(await sdk.tenants.templates.versions.retrieve('latest', { tenant_id: 'acme', template_id: 'welcome' })).toMatchObject({
      version: 'v2',
    });
    await expect(sdk.tenants.templates.retrieve('welcome', { tenant_id: 'other' })).rejects.toBeInstanceOf(NotFoundError);
  });

  it('stores routing strategies and refuses to archive one in use', async () => {
    const { id } = await sdk.routingStrategies.create({
      name: 'Push first',
      routing: { method: 'single', channels: ['push', { method: 'all', channels: ['email'] }] },
      channels: { email: { providers: ['sendgrid', 'ses'] } },
    });
    const { id: templateId } = await sdk.notifications.create({ notification: payloadOf('x', { routing: { strategy_id: id } }) });

    expect(await sdk.routingStrategies.retrieve(id)).toMatchObject({
      name: 'Push first',
      providers: {},
      channels: { email: { providers: ['sendgrid', 'ses'] } },
    });
    expect((await sdk.routingStrategies.list({ limit: 100 })).results.map((strategy) => strategy.id)).toContain(id);
    expect((await sdk.routingStrategies.listNotifications(id)).results).toMatchObject([
      { id: templateId, state: 'DRAFT', name: 'Welcome' },
    ]);
    await expect(sdk.routingStrategies.archive(id)).rejects.toBeInstanceOf(ConflictError);
    await sdk.notifications.archive(templateId);
    await sdk.routingStrategies.replace(id, { name: 'Other', routing: { method: 'all', channels: ['sms'] } });
    await sdk.routingStrategies.archive(id);
    await expect(sdk.routingStrategies.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('refuses a write to a changed revision, by header or by query', async () => {
    const { data, response } = await sdk.notifications.create({ notification: payloadOf('one') }).withResponse();
    const read = { headers: { 'If-Match': response.headers.get('etag') } };
    await sdk.notifications.replace(data.id, { notification: payloadOf('two') }, read);

    await expect(sdk.notifications.replace(data.id, { notification: payloadOf('lost') }, read)).rejects.toBeInstanceOf(ConflictError);
    await expect(sdk.notifications.publish(data.id, {}, { query: { if_match: 'r1' } })).rejects.toBeInstanceOf(ConflictError);
    await expect(sdk.notifications.publish(data.id, {}, { headers: { 'If-Match': '"r2"' } })).resolves.toBeNull();
  });

  it('serves the older forms over plain HTTP', async () => {
    const api = new ApiClient(system.url, system.key);
    const { id } = await sdk.notifications.create({ notification: payloadOf('one') });
    const blocks = [{ id: 'b', type: 'text', content: 'Hello' }];

    expect((await api.request('POST', `/notifications/${id}/variations`, { body: { blocks, channels: [] } })).status).toBe(200);
    expect((await api.request('POST', `/notifications/${id}/blocks/b/locales`, { body: { fr: 'Bonjour' } })).status).toBe(200);
    expect(
      (await api.request('PUT', `/notifications/${id}/locales/de`, { body: { blocks: [{ id: 'b', content: 'Hallo' }] } })).status,
    ).toBe(200);

    const { body } = await api.request('GET', `/notifications/${id}/draft/content`);
    expect(body).toMatchObject({
      blocks: [{ id: 'b', type: 'text', content: 'Hello', locales: { fr: 'Bonjour', de: 'Hallo' } }],
      channels: [],
    });
  });
});
