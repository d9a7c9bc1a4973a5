import { randomUUID } from 'node:crypto';
import { notificationChecks } from '@tidings/contracts/content/notification-checks';
import { notificationContent } from '@tidings/contracts/content/notification-content';
import { notifications, VERSIONS_RETAINED_MAX } from '@tidings/contracts/content/notifications';
import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import type { CallContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { sharedContent } from '../testing/start-content';
import { buildStrategy, buildTemplate, payloadOf, textContent } from '../testing/template-builder';
import { NotificationsHandlers } from './notifications.handlers';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
let context: CallContext;

beforeAll(async () => {
  content = await sharedContent();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

const retrieve = (id: string, version?: string) => call(notifications.retrieve, context, { id, version });
const publish = (id: string, version?: string) => call(notifications.publish, context, { id, version });
const replace = (id: string, text: string, more: object = {}) =>
  call(notifications.replace, context, { id, notification: payloadOf({ content: textContent(text) }), ...more });
const versionsOf = async (id: string) => (await call(notifications.versions, context, { id })).versions.map(({ version }) => version);
const textOf = async (id: string, version?: string) => (await retrieve(id, version)).content.elements[0]!.content;

describe('creating a template', () => {
  it('is refused above the quota of the workspace, which templates of tenants use too', async () => {
    const limited = { ...context, quota: 2 };
    const create = () => call(notifications.create, { ...limited, callId: randomUUID() }, { notification: payloadOf() });
    const ofTenant = (template_id: string) =>
      call(
        tenantTemplates.replace,
        { ...limited, callId: randomUUID() },
        { tenant_id: 't', template_id, template: { content: textContent('x') } },
      );
    const exceeded = { code: 'forbidden', message: 'The quota templates of the workspace is 2: it cannot have more templates than that' };
    await create();
    await ofTenant('a');

    await expect(create()).rejects.toMatchObject(exceeded);
    await expect(ofTenant('b')).rejects.toMatchObject(exceeded);
    await expect(ofTenant('a')).resolves.toMatchObject({ version: 'v2' });
  });

  it('returns what was put, as a draft', async () => {
    const strategy_id = await buildStrategy(call, context);
    const notification = payloadOf({
      name: 'Order placed',
      tags: ['shop', 'order', 'shop'],
      brand: { id: 'brd_1' },
      subscription: { topic_id: 'orders' },
      routing: { strategy_id },
      alias: 'order-placed',
      email: { from: 'shop@example.com', cc: ['a@example.com'] },
      content: {
        version: '2022-01-01',
        elements: [
          { type: 'meta', title: 'Your order' },
          { type: 'text', unknown: { z: 1, a: [null] }, content: 'é' },
        ],
      },
    });

    const created = await call(notifications.create, context, { notification });

    const { warnings, ...template } = created as typeof created & { warnings: string[] };
    expect(warnings).toEqual(['notification.content.elements[1].unknown is unknown, and has no effect']);
    expect(template).toEqual({
      ...notification,
      tags: ['shop', 'order'],
      id: expect.stringMatching(/^nt_[\w-]{20}$/) as string,
      state: 'DRAFT',
      created: expect.any(Number) as number,
      creator: 'api',
      etag: 'r1',
    });
    expect(JSON.stringify(created.content)).toBe(JSON.stringify(notification.content));
    await expect(retrieve(created.id, 'draft')).resolves.toEqual(template);
  });

  it('publishes it where the state is PUBLISHED, in any letter case', async () => {
    const { id, state } = await call(notifications.create, context, { notification: payloadOf(), state: 'published' as 'PUBLISHED' });

    expect(state).toBe('PUBLISHED');
    await expect(retrieve(id, 'published')).resolves.toMatchObject({ state: 'PUBLISHED' });
    await expect(versionsOf(id)).resolves.toEqual(['draft', 'published:v001']);
  });

  it('refuses a routing strategy that does not exist', async () => {
    await expect(buildTemplate(call, context, { routing: { strategy_id: 'rs_none' } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('rs_none') as string,
    });
  });

  it('names the path of an error in the content', async () => {
    const elements = [{ type: 'group', elements: [{ type: 'channel', channel: 'email' }] }];

    await expect(buildTemplate(call, context, { content: { elements } as never })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('notification.content.elements[0].elements[0] is a channel') as string,
    });
  });

  it('is applied once, however often the call is delivered', async () => {
    const delivered = { ...context, deliveryId: randomUUID() };
    const handlers = content.get(NotificationsHandlers);
    const request = { notification: payloadOf({ alias: 'once' }) };

    const first = await handlers.create(delivered, request);

    await expect(handlers.create(delivered, request)).resolves.toEqual(first);
    expect((await call(notifications.list, context, {})).results).toHaveLength(1);
  });
});

describe('an alias', () => {
  it('names the template on every route', async () => {
    const { id } = await buildTemplate(call, context, { alias: 'welcome', content: textContent('one') });
    const named = { id: 'welcome' };
    const checks = [{ id: 'spelling', status: 'PENDING' as const, type: 'custom' as const }];

    await expect(retrieve('welcome')).resolves.toMatchObject({ id, alias: 'welcome' });
    await expect(replace('welcome', 'two', { state: 'PUBLISHED' })).resolves.toMatchObject({ id, state: 'PUBLISHED' });
    await expect(call(notificationContent.replace, context, { ...named, content: textContent('three') })).resolves.toMatchObject({ id });
    await publish('welcome');
    await expect(versionsOf('welcome')).resolves.toEqual(['draft', 'published:v002', 'v001']);
    await expect(call(notificationContent.retrieve, context, named)).resolves.toMatchObject({ elements: [{ content: 'three' }] });
    await call(notificationChecks.replace, context, { ...named, submissionId: '1', checks });
    await expect(call(notificationChecks.list, context, { id, submissionId: '1' })).resolves.toMatchObject({ checks });
    await expect(call(notificationChecks.list, context, { ...named, submissionId: '1' })).resolves.toMatchObject({ checks });
    await call(notificationChecks.cancel, context, { ...named, submissionId: '1' });
    await call(notifications.archive, context, named);
    await expect(retrieve(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(retrieve('welcome')).rejects.toMatchObject({ code: 'not_found', message: 'Template welcome does not exist' });
  });

  it('is another template as soon as that has it', async () => {
    const one = await buildTemplate(call, context, { alias: 'a' });
    const other = await buildTemplate(call, context);
    await call(notifications.replace, context, { id: 'a', notification: payloadOf({ alias: null }) });
    await expect(retrieve('a')).rejects.toMatchObject({ code: 'not_found' });
    await call(notifications.replace, context, { id: other.id, notification: payloadOf({ alias: 'a' }) });

    await expect(retrieve('a')).resolves.toMatchObject({ id: other.id });
    await expect(retrieve(one.id)).resolves.toMatchObject({ id: one.id });
  });

  it('must not be the id of another template, which lookups would find first', async () => {
    const { id } = await buildTemplate(call, context);
    const other = await buildTemplate(call, context);
    const refused = { code: 'conflict', message: `The alias ${id} is another template's id` };

    await expect(buildTemplate(call, context, { alias: id })).rejects.toMatchObject(refused);
    await expect(call(notifications.replace, context, { id: other.id, notification: payloadOf({ alias: id }) })).rejects.toMatchObject(
      refused,
    );
    await call(notifications.archive, context, { id });
    await expect(buildTemplate(call, context, { alias: id })).resolves.toMatchObject({ alias: id });
  });

  it('belongs to one template', async () => {
    const { id } = await buildTemplate(call, context, { alias: 'welcome' });
    const other = await buildTemplate(call, context);

    await expect(buildTemplate(call, context, { alias: 'welcome' })).rejects.toMatchObject({
      code: 'conflict',
      hints: { shouldRetry: false },
      message: "The alias welcome is another template's already",
    });
    const second = call(notifications.replace, context, { id: other.id, notification: payloadOf({ alias: 'welcome' }) });
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
    await call(notifications.archive, context, { id });
    await expect(buildTemplate(call, context, { alias: 'welcome' })).resolves.toMatchObject({ alias: 'welcome' });
  });

  it('stays where a replacement omits it and is removed with null', async () => {
    const { id } = await buildTemplate(call, context, { alias: 'welcome' });

    await expect(replace(id, 'a')).resolves.toMatchObject({ alias: 'welcome' });
    const replaced = await call(notifications.replace, context, { id, notification: payloadOf({ alias: null }) });

    expect(replaced.alias).toBeUndefined();
    await expect(buildTemplate(call, context, { alias: 'welcome' })).resolves.toMatchObject({ alias: 'welcome' });
  });

  it("must not begin like the name of a tenant's template", async () => {
    await expect(buildTemplate(call, context, { alias: 'tenant/a' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('belongs to one of several templates that set it concurrently', async () => {
    const one = await buildTemplate(call, context, { alias: 'a' });
    const other = await buildTemplate(call, context, { alias: 'b' });
    const swap = (id: string, alias: string) => call(notifications.replace, context, { id, notification: payloadOf({ alias }) });

    for (let round = 0; round < 5; round += 1) {
      const outcomes = await Promise.allSettled([swap(one.id, 'c'), swap(other.id, 'c'), swap(one.id, 'b'), swap(other.id, 'a')]);
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
    }
  });
});

describe('retrieving a template', () => {
  it('returns the published version, or the draft where none is published', async () => {
    const { id } = await buildTemplate(call, context, { content: textContent('first') });
    await expect(retrieve(id)).resolves.toMatchObject({ state: 'DRAFT' });
    await expect(retrieve(id, 'published')).rejects.toMatchObject({ code: 'not_found', message: `Template ${id} is not published` });

    await publish(id);
    await replace(id, 'second');

    await expect(textOf(id)).resolves.toBe('first');
    await expect(textOf(id, 'published')).resolves.toBe('first');
    await expect(textOf(id, 'v001')).resolves.toBe('first');
    await expect(textOf(id, 'draft')).resolves.toBe('second');
    for (const version of ['v002', 'v9']) {
      await expect(retrieve(id, version)).rejects.toMatchObject({ code: 'not_found', message: `Template ${id} has no version ${version}` });
      await expect(publish(id, version)).rejects.toMatchObject({ code: 'not_found', message: `Template ${id} has no version ${version}` });
    }
    await expect(retrieve(id, 'yesterday')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('does not find an archived template', async () => {
    const { id } = await buildTemplate(call, context, { state: 'PUBLISHED' });

    await call(notifications.archive, context, { id });

    for (const attempt of [
      () => retrieve(id),
      () => publish(id),
      () => replace(id, 'a'),
      () => call(notifications.archive, context, { id }),
      () => versionsOf(id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found', message: `Template ${id} does not exist` });
    }
    await expect(call(notifications.list, context, {})).resolves.toMatchObject({ results: [] });
  });
});

describe('replacing a template', () => {
  it('clears absent fields', async () => {
    const { id } = await buildTemplate(call, context, { brand: { id: 'b' }, tags: ['a'], email: { from: 'a@b.c' } });

    const replaced = await call(notifications.replace, context, { id, notification: { name: 'New', content: textContent('x') } });

    expect(replaced).toMatchObject({ name: 'New', tags: [], brand: null, subscription: null, routing: null });
    expect(replaced).not.toHaveProperty('email');
    expect(replaced.updated).toBeGreaterThanOrEqual(replaced.created);
  });

  it('is refused where the template changed since it was read', async () => {
    const { id, etag } = await buildTemplate(call, context, { content: textContent('first') });
    await replace(id, 'of another client', { if_match: etag });

    const late = replace(id, 'lost', { if_match: `"${etag}"` });

    await expect(late).rejects.toMatchObject({
      code: 'conflict',
      hints: { shouldRetry: false },
      message: expect.stringContaining('r2') as string,
    });
    await expect(textOf(id, 'draft')).resolves.toBe('of another client');
    await expect(replace(id, 'mine', { if_match: 'W/"r1", "r2"' })).resolves.toMatchObject({ etag: 'r3' });
    await expect(replace(id, 'any', { if_match: '*' })).resolves.toMatchObject({ etag: 'r4' });
  });

  it('accepts one of several replacements with the same etag', async () => {
    const { id, etag } = await buildTemplate(call, context);

    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((text) => replace(id, text, { if_match: etag })));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('publishing', () => {
  it('makes a version of the draft unless it is published already', async () => {
    const { id } = await buildTemplate(call, context);

    await publish(id);
    await publish(id);
    expect(await versionsOf(id)).toEqual(['draft', 'published:v001']);
    await replace(id, 'second', { state: 'PUBLISHED' });

    expect(await versionsOf(id)).toEqual(['draft', 'published:v002', 'v001']);
  });

  it('publishes an earlier version, and then the draft again', async () => {
    const { id } = await buildTemplate(call, context, { content: textContent('first'), state: 'PUBLISHED' });
    await replace(id, 'second', { state: 'PUBLISHED' });

    await publish(id, 'v001');
    expect(await versionsOf(id)).toEqual(['draft', 'v002', 'published:v001']);
    await expect(textOf(id)).resolves.toBe('first');
    await publish(id);

    expect(await versionsOf(id)).toEqual(['draft', 'published:v002', 'v001']);
    await expect(publish(id, 'v003')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('never changes a version', async () => {
    const { id } = await buildTemplate(call, context, { content: textContent('first'), state: 'PUBLISHED' });
    const first = await retrieve(id, 'v001');

    for (let n = 0; n < 3; n += 1) await replace(id, `other ${n}`, { state: 'PUBLISHED' });
    await publish(id, 'v002');

    expect((await retrieve(id, 'v001')).content).toEqual(first.content);
  });

  it('makes one version per draft when published concurrently', async () => {
    const { id } = await buildTemplate(call, context);

    await Promise.all(Array.from({ length: 8 }, (_, n) => replace(id, `text ${n}`, { state: 'PUBLISHED' })));

    expect(await versionsOf(id)).toHaveLength(9);
  });

  it('removes old versions, but neither the published one nor the one that the draft equals', async () => {
    const { id } = await buildTemplate(call, context, { content: textContent('first'), state: 'PUBLISHED' });
    await replace(id, 'second', { state: 'PUBLISHED' });
    const latest = VERSIONS_RETAINED_MAX + 2;
    await content.sql('update notification_templates set latest_version = $2 where workspace_id = $1', [context.workspaceId, latest]);

    await publish(id, 'v001');
    await expect(textOf(id, 'published')).resolves.toBe('first');
    await publish(id);
    await expect(textOf(id, 'published')).resolves.toBe('second');
    await replace(id, 'third', { state: 'PUBLISHED' });

    expect(await versionsOf(id)).toEqual(['draft', `published:v${latest + 1}`]);
  });

  it('shows whether the draft differs from the published version', async () => {
    const { id } = await buildTemplate(call, context);
    const hasChanges = async () => (await call(notifications.versions, context, { id })).versions[0]!.has_changes;

    expect(await hasChanges()).toBe(true);
    await publish(id);
    expect(await hasChanges()).toBe(false);
    await replace(id, 'new');
    expect(await hasChanges()).toBe(true);
  });
});

describe('a strategy that templates are linked with', () => {
  it('cannot be archived until no template is linked', async () => {
    const strategy_id = await buildStrategy(call, context);
    const archive = () => call(routingStrategies.archive, context, { id: strategy_id });
    const { id } = await buildTemplate(call, context, { routing: { strategy_id }, state: 'PUBLISHED' });

    await expect(archive()).rejects.toMatchObject({ code: 'conflict', hints: { shouldRetry: false } });
    await replace(id, 'unlinked draft');
    await expect(archive()).rejects.toMatchObject({ code: 'conflict' });
    await publish(id);
    await expect(archive()).resolves.toBeUndefined();
    await expect(publish(id, 'v001')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(strategy_id) as string,
    });
  });
});

const named = 'nt_of_another';
describeWorkspaceIsolation('a template', {
  arrange: async (owner) => {
    await buildTemplate(call, owner, { alias: named, state: 'PUBLISHED' });
    await content.sql(`update notification_versions set template_id = $2 where workspace_id = $1`, [owner.workspaceId, named]);
    await content.sql(`update notification_templates set template_id = $2 where workspace_id = $1`, [owner.workspaceId, named]);
  },
  read: (owner) => call(notifications.retrieve, owner, { id: named }),
  attempts: {
    retrieve: { attempt: (stranger) => call(notifications.retrieve, stranger, { id: named }), refusedWith: 'not_found' },
    replace: {
      attempt: (stranger) => call(notifications.replace, stranger, { id: named, notification: payloadOf() }),
      refusedWith: 'not_found',
    },
    archive: { attempt: (stranger) => call(notifications.archive, stranger, { id: named }), refusedWith: 'not_found' },
    publish: { attempt: (stranger) => call(notifications.publish, stranger, { id: named }), refusedWith: 'not_found' },
    versions: { attempt: (stranger) => call(notifications.versions, stranger, { id: named }), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(notifications.list, stranger, {}) },
    'its alias': { attempt: (stranger) => buildTemplate(call, stranger, { alias: named }) },
  },
});
