import { brands } from '@tidings/contracts/content/brands';
import type { ElementalContent, ElementalNode } from '@tidings/contracts/content/elemental';
import { notificationBlocks } from '@tidings/contracts/content/notification-blocks';
import { notificationContent } from '@tidings/contracts/content/notification-content';
import { notifications } from '@tidings/contracts/content/notifications';
import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import { TRANSLATION_BYTES_MAX, translations } from '@tidings/contracts/content/translations';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import type { TestService } from '@tidings/testing/service';
import { newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';
import { buildTemplate, payloadOf, textContent } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);

beforeAll(async () => (content = await sharedContent()));

const elemental = (...elements: ElementalNode[]): ElementalContent => ({ version: '2022-01-01', elements });
const BROKEN = elemental({ type: 'text', content: 'fine' }, { type: 'text', content: 'Hello\n{{#if x}}' });
/** More than is checked on the calling thread. */
const LARGE = 'word '.repeat(10_000);
const refused = (message: RegExp): object => ({ code: 'invalid_request', message: expect.stringMatching(message) as string });

describe('a template that cannot be rendered', () => {
  it('is stored as a draft and refused when published, naming the element and the line', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context, { content: BROKEN });

    await expect(call(notifications.publish, context, { id })).rejects.toMatchObject(
      refused(/^content\.elements\[1\]\.content: Template line 2: /),
    );
    await expect(call(notifications.publish, context, { id, version: 'v001' })).rejects.toMatchObject({ code: 'not_found' });

    await call(notificationContent.replace, context, { id, content: textContent('fixed') });
    await call(notifications.publish, context, { id });
    expect((await call(notifications.retrieve, context, { id, version: 'published' })).content).toEqual(textContent('fixed'));
  });

  it.each<[string, (of: ReturnType<typeof newWorkspace>, id: string) => Promise<unknown>]>([
    ['made as published', (of) => call(notifications.create, of, { notification: payloadOf({ content: BROKEN }), state: 'PUBLISHED' })],
    [
      'replaced as published',
      (of, id) => call(notifications.replace, of, { id, notification: payloadOf({ content: BROKEN }), state: 'PUBLISHED' }),
    ],
    ['given content as published', (of, id) => call(notificationContent.replace, of, { id, content: BROKEN, state: 'PUBLISHED' })],
    [
      'given blocks',
      (of, id) => call(notificationBlocks.replace, of, { id, blocks: [{ id: 'b1', type: 'text', content: '{{#if x}}' }], channels: [] }),
    ],
    [
      'made for a tenant',
      (of, id) => call(tenantTemplates.replace, of, { tenant_id: 't', template_id: id, template: { content: BROKEN }, published: true }),
    ],
  ])('is refused where it is %s, and nothing is changed', async (_, work) => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context, { content: textContent('before'), state: 'PUBLISHED' });

    await expect(work(context, id)).rejects.toMatchObject(refused(/elements\[\d\]\.content: Template line \d: /));

    expect((await call(notifications.retrieve, context, { id, version: 'draft' })).content).toEqual(textContent('before'));
    await expect(call(tenantTemplates.retrieve, context, { tenant_id: 't', template_id: id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is refused when a tenant publishes it later', async () => {
    const context = newWorkspace();
    const of = { tenant_id: 't', template_id: 'welcome' };
    await call(tenantTemplates.replace, context, { ...of, template: { content: BROKEN } });

    await expect(call(tenantTemplates.publish, context, of)).rejects.toMatchObject(refused(/^content\.elements\[1\]/));
  });

  it('is refused as well where it is checked on a thread', async () => {
    const context = newWorkspace();
    const large = (end: string): ElementalContent => elemental(...Array.from({ length: 8 }, (_, n): ElementalNode => ({ type: 'text', content: LARGE + (n === 7 ? end : '') }))); // prettier-ignore
    const { id } = await buildTemplate(call, context, { content: large('{{/each}}') });

    await expect(call(notifications.publish, context, { id })).rejects.toMatchObject(refused(/^content\.elements\[7\]\.content: /));

    await call(notificationContent.replace, context, { id, content: large('{{name}}'), state: 'PUBLISHED' });
    expect((await call(notifications.retrieve, context, { id })).state).toBe('PUBLISHED');
  });

  it('can be reverted to a version published before, without another check', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context, { content: textContent('one'), state: 'PUBLISHED' });
    await call(notifications.replace, context, { id, notification: payloadOf({ content: BROKEN }) });

    await call(notifications.publish, context, { id, version: 'v001' });

    expect((await call(notifications.retrieve, context, { id })).content).toEqual(textContent('one'));
  });
});

describe('a brand that cannot be rendered', () => {
  it.each<[string, object, RegExp]>([
    [
      'a snippet',
      {
        snippets: {
          items: [
            { name: 'ok', value: 'x' },
            { name: 'bad', value: 'a\n{{/if}}' },
          ],
        },
      },
      /^snippets\.items\[1\]\.value: Template line 2: /,
    ],
    ['a footer', { settings: { email: { footer: { markdown: '{{#if a}}' } } } }, /^settings\.email\.footer: /],
    [
      'a head',
      { settings: { email: { head: { content: '<meta content="{{unknown 1}}">' } } } },
      /^settings\.email\.head\.content: .*no helper named/,
    ],
    [
      'a frame of its own',
      { settings: { email: { templateOverride: { enabled: true, header: 'x', footer: '{{else}}' } } } },
      /^settings\.email\.templateOverride\.footer: /,
    ],
    [
      'MJML',
      {
        settings: { email: { templateOverride: { mjml: { enabled: true, header: '<mj-section', footer: '' } } } },
      },
      /^settings\.email\.templateOverride\.mjml\.header: line 1: the tag <mj-section is not closed/,
    ],
  ])('for %s is refused when it is made or put', async (_, brand, message) => {
    const context = newWorkspace();

    await expect(call(brands.create, context, { id: 'b', name: 'B', ...brand })).rejects.toMatchObject(refused(message));
    await expect(call(brands.replace, context, { brand_id: 'default', name: 'B', ...brand })).rejects.toMatchObject(refused(message));
  });

  it('may open in its header what its footer closes', async () => {
    const context = newWorkspace();
    const templateOverride = { enabled: true, header: '{{#if data.vip}}', footer: '{{/if}}' };

    await expect(call(brands.create, context, { name: 'B', settings: { email: { templateOverride } } })).resolves.toMatchObject({
      name: 'B',
    });
  });

  it('of much MJML is checked on the pool, so that it does not block the event loop', async () => {
    const context = newWorkspace();
    const header = '<mj-section><mj-column><mj-text>Hello {{profile.name}}</mj-text></mj-column></mj-section>'.repeat(220);
    const run = jest.spyOn(RenderPool.prototype, 'run');

    await call(brands.create, context, { name: 'B', settings: { email: { templateOverride: { mjml: { enabled: true, header } } } } });

    expect(run.mock.calls.map(([, job]) => job)).toEqual(['checkBrand']);
  });
});

it('refuses an invalid condition in a strategy and for a tenant', async () => {
  const context = newWorkspace();
  const routing = { method: 'single' as const, channels: [{ method: 'all' as const, channels: [{ channel: 'email', if: 'data.(' }] }] };
  const channels = { email: { if: 'a b' } };
  const strategy = (more: object): Promise<unknown> =>
    call(routingStrategies.create, context, { name: 'S', routing: { method: 'single', channels: ['email'] }, ...more });

  await expect(strategy({ routing })).rejects.toMatchObject(
    refused(/^routing\.channels\[0\]\.channels\[0\]\.if: The condition "data\.\("/),
  );
  await expect(strategy({ channels })).rejects.toMatchObject(refused(/^channels\.email\.if: /));
  await expect(strategy({ providers: { smtp: { if: '!' } } })).rejects.toMatchObject(refused(/^providers\.smtp\.if: /));
  await expect(strategy({ channels: { email: { if: 'data.a == 1' } } })).resolves.toBeDefined();
  const tenants = { tenant_id: 't', template_id: 'x', template: { content: textContent('x'), channels } };
  await expect(call(tenantTemplates.replace, context, tenants)).rejects.toMatchObject(refused(/^template\.channels\.email\.if: /));
});

describe('a large .po text', () => {
  const entries = Array.from({ length: 12_000 }, (_, n) => `msgid "id ${n}"\nmsgstr "text ${n}"\n`).join('\n');
  const put = (translation: string): Promise<unknown> =>
    call(translations.replace, newWorkspace(), { domain: 'default', locale: 'fr', translation });

  it('is parsed on a thread, with the same errors as a small one', async () => {
    expect(entries.length).toBeGreaterThan(400_000);
    expect(Buffer.byteLength(JSON.stringify(entries))).toBeLessThan(TRANSLATION_BYTES_MAX);

    await expect(put(entries)).resolves.toEqual({ translation: entries });
    await expect(put(`${entries}\nmsgid "a\n`)).rejects.toMatchObject(refused(/line 36001: the text in quotes/));
  });
});
