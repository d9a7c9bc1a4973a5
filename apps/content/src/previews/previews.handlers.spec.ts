import { brands } from '@tidings/contracts/content/brands';
import { eventMappings } from '@tidings/contracts/content/event-mappings';
import { notifications } from '@tidings/contracts/content/notifications';
import { type Preview, type PreviewBrand, type PreviewContent, previews } from '@tidings/contracts/content/previews';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import { translations } from '@tidings/contracts/content/translations';
import type { CallContext } from '@tidings/contracts/core/context';
import { unavailable } from '@tidings/contracts/core/errors';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import type { TestService } from '@tidings/testing/service';
import { newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';
import { buildTemplate, payloadOf, textContent } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
const preview = (context: CallContext, request: PreviewContent): Promise<Preview> => call(previews.render, context, request);

beforeAll(async () => (content = await sharedContent()));
afterEach(() => jest.restoreAllMocks());

/** The text of each rendered channel. */
const textsOf = ({ results }: Preview): Record<string, string> =>
  Object.fromEntries(results.map(({ channel_id, content: { text } }) => [channel_id, text.trim()]));

describe('a preview', () => {
  it('renders a template for every channel it has content for, as a message’s output does', async () => {
    const context = newWorkspace();
    const template = await buildTemplate(call, context, { content: textContent('Hello {name}, {profile.city}') });

    const shown = await preview(context, { template: template.id, data: { name: 'Ann' }, profile: { city: 'Rome' } });

    expect(textsOf(shown)).toEqual(
      Object.fromEntries(['direct_message', 'email', 'push', 'sms', 'webhook', 'inbox'].map((channel) => [channel, 'Hello Ann, Rome'])),
    );
    expect(shown).toMatchObject({ errors: [], version: 'draft' });
    const email = shown.results.find(({ channel }) => channel === 'email')!;
    expect(email.content.html).toContain('Hello Ann, Rome');
    expect(email.content.blocks).toEqual([{ type: 'text', text: 'Hello Ann, Rome' }]);
  });

  it('shows the draft, the published version, or a given version', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context, { content: textContent('one'), state: 'PUBLISHED' });
    await call(notifications.replace, context, { id, notification: payloadOf({ content: textContent('two') }), state: 'PUBLISHED' });
    await call(notifications.replace, context, { id, notification: payloadOf({ content: textContent('three') }) });
    const shown = (version?: string): Promise<Preview> => preview(context, { template: id, channel: 'sms', version });

    expect(textsOf(await shown())).toEqual({ sms: 'two' });
    expect(textsOf(await shown('draft'))).toEqual({ sms: 'three' });
    expect(textsOf(await shown('published'))).toEqual({ sms: 'two' });
    expect(textsOf(await shown('v001'))).toEqual({ sms: 'one' });
    await expect(shown('v009')).rejects.toMatchObject({ code: 'not_found' });
    await expect(shown('nine')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('finds a template by its alias and by an event that is mapped to it', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context, { alias: 'welcome', content: textContent('Hello') });
    await call(eventMappings.replace, context, { event_id: 'signed up', id, type: 'notification' as const });

    for (const template of ['welcome', 'signed up']) {
      expect(textsOf(await preview(context, { template, channel: 'sms' }))).toEqual({ sms: 'Hello' });
    }
  });

  it('uses the recipient’s language and the catalogue of a send', async () => {
    const context = newWorkspace();
    await call(translations.replace, context, { domain: 'default', locale: 'fr', translation: 'msgid "Hello"\nmsgstr "Bonjour"\n' });
    const request = { content: { title: 'x', body: '{{t "Hello"}}' }, channel: 'sms' as const };

    expect(textsOf(await preview(context, { ...request, locale: 'fr_CA' }))).toEqual({ sms: 'Bonjour' });
    expect(textsOf(await preview(context, { ...request, profile: { locale: 'fr' } }))).toEqual({ sms: 'Bonjour' });
    expect(textsOf(await preview(context, request))).toEqual({ sms: 'Hello' });
  });

  it('uses the brand of the request, stored or not, else the template’s', async () => {
    const context = newWorkspace();
    const branded = (name: string): PreviewBrand => ({
      settings: { email: { footer: { markdown: `Footer of ${name}` } } },
      snippets: { items: [{ name: 'who', value: name }] },
    });
    await call(brands.create, context, { id: 'acme', ...branded('Acme'), name: 'Acme' });
    const { id } = await buildTemplate(call, context, { brand: { id: 'acme' }, content: textContent('{{> who}}') });
    const htmlOf = async (request: PreviewContent): Promise<string> =>
      (await preview(context, { channel: 'email', ...request })).results[0]!.content.html;

    expect(await htmlOf({ template: id })).toContain('Footer of Acme');
    expect(await htmlOf({ template: id, brand: branded('Draft') })).toContain('Footer of Draft');
    expect(await htmlOf({ content: textContent('{{> who}}'), brand_id: 'acme' })).toContain('Footer of Acme');
    await expect(htmlOf({ template: id, brand_id: 'unknown' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'Brand unknown does not exist',
    });
  });

  it('has no brand where the template has none, like a send, and the default brand where none is named', async () => {
    const context = newWorkspace();
    await call(brands.replace, context, { brand_id: 'default', name: 'D', settings: { email: { footer: { markdown: 'Footer of D' } } } });
    const content = textContent('In {brand.name}');
    const { id } = await buildTemplate(call, context, { brand: null, content });
    const tenants = { tenant_id: 'acme', template_id: 'own', template: { content } };
    await call(tenantTemplates.replace, context, tenants);
    const textOf = async (request: PreviewContent): Promise<string> =>
      textsOf(await preview(context, { channel: 'email', ...request })).email!;

    expect(await textOf({ template: id })).toBe('In {brand.name}');
    expect(await textOf({ content })).toBe('In D\n\n-- \nFooter of D');
    expect(await textOf({ template: 'own', tenant_id: 'acme', version: 'draft' })).toContain('Footer of D');
    expect(await textOf({ template: id, brand_id: 'default' })).toContain('Footer of D');
  });

  it('renders content of the request with the brand and the settings of a template', async () => {
    const context = newWorkspace();
    await call(brands.create, context, { id: 'acme', name: 'Acme', settings: {} });
    const template = { brand: { id: 'acme' }, throw_on_missing_variable: true, content: textContent('stored') };
    const { id } = await buildTemplate(call, context, template);
    const shown = (text: string): Promise<Preview> => preview(context, { template: id, content: textContent(text), channel: 'sms' });

    const { results, version } = await shown('Edited at {brand.name}');
    expect([results[0]!.content.text.trim(), version]).toEqual(['Edited at Acme', undefined]);
    expect((await shown('Hello {name}')).errors).toEqual([expect.objectContaining({ message: 'Variable not found: name' })]);
    await expect(preview(newWorkspace(), { template: id, content: textContent('x') })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('inherits an unstored brand’s missing parts from the default brand', async () => {
    const context = newWorkspace();
    await call(brands.replace, context, {
      brand_id: 'default',
      name: 'House',
      settings: { email: { footer: { markdown: 'The house’s footer' } } },
      snippets: null,
    });

    const { results } = await preview(context, {
      content: { title: 'a', body: 'b' },
      channel: 'email',
      brand: { settings: { email: { footer: { inheritDefault: true } } } },
    });

    expect(results[0]!.content.html).toContain('The house’s footer');
  });

  it('reports warnings of rendering and a missing brand of the template', async () => {
    const context = newWorkspace();
    const loop = { version: '2022-01-01', elements: [{ type: 'text' as const, content: 'x', loop: 'data.none' }] };
    const { id } = await buildTemplate(call, context, { brand: { id: 'missing' }, content: loop });

    const { results } = await preview(context, { template: id, channel: 'sms' });

    expect(results[0]!.warnings).toEqual([
      "The template's brand missing does not exist: the message has none",
      expect.stringContaining('there is no list') as string,
    ]);
  });

  it('reports probable mistakes in content of the request, as a send does', async () => {
    const content = {
      version: '2022-01-01',
      elements: [{ type: 'text', content: 'x', align: 'middle', contents: 'y' }, { type: 'action' }],
    };

    const { results } = await preview(newWorkspace(), { content });

    const warnings = [
      'content.elements[1] is an action without href',
      'content.elements[0].contents is unknown, and has no effect',
      'content.elements[0].align is none of left, center, right, full, and has no effect (got "middle")',
    ];
    expect(results.map((output) => output.warnings)).toEqual(results.map(() => warnings));
    expect(results.length).toBeGreaterThan(1);
  });

  it('names variables without a value, in errors where the template requires them', async () => {
    const context = newWorkspace();
    const content = textContent('{{data.order}} {{default note "none"}}');
    const lenient = await buildTemplate(call, context, { content });
    const strict = await buildTemplate(call, context, { content, throw_on_missing_variable: true });
    const message = 'Variable not found: data.order';

    expect(strict).toMatchObject({ throw_on_missing_variable: true });
    expect((await preview(context, { template: lenient.id, channel: 'sms' })).results).toMatchObject([{ warnings: [message] }]);
    expect(await preview(context, { template: strict.id, channel: 'sms' })).toMatchObject({ results: [], errors: [{ message }] });
    const filled = await preview(context, { template: strict.id, channel: 'sms', data: { order: 7 } });
    expect(filled).toMatchObject({ results: [{ warnings: [] }], errors: [] });
  });

  it('warns why an unstored brand would be refused, even where it renders', async () => {
    const shown = (brand: PreviewBrand): Promise<Preview> =>
      preview(newWorkspace(), { content: { title: 'a', body: 'b' }, channel: 'email', brand });
    const hiding = { email: { templateOverride: { enabled: true, header: 'H\n<!-- open', footer: 'F' } } };

    const { results } = await shown({ settings: hiding });
    const endless = await shown({ snippets: { items: [{ name: 'a', value: '{{> a}}' }] } });
    const sound = await shown({ name: 'B', settings: { email: { footer: { markdown: '<!-- closed -->' } } } });

    expect(results[0]!.warnings).toEqual([
      expect.stringContaining(
        'The brand would be refused: settings.email.templateOverride.header: line 2: the comment <!-- is not closed',
      ) as string,
    ]);
    expect(endless.results[0]!.warnings).toEqual([expect.stringContaining('refused: snippets.items[0].value: Template line 1') as string]);
    expect(sound.results[0]!.warnings).toEqual([]);
  });

  it('renders an unstored brand with a warning while it cannot be checked', async () => {
    const pool = content.get(RenderPool);
    const run = pool.run.bind(pool);
    jest.spyOn(pool, 'run').mockImplementation((owner, job, ...more) => {
      if ((job as string) === 'checkBrand') throw unavailable('too busy');
      return run(owner, job, ...more);
    });

    const { results } = await preview(newWorkspace(), { content: { title: 'a', body: 'b' }, channel: 'email', brand: { name: 'B' } });

    expect(results[0]!.content.text).toContain('b');
    expect(results[0]!.warnings).toEqual(['The brand could not be checked now: too busy']);
  });

  it('reports channels that cannot be rendered and shows the rest', async () => {
    const context = newWorkspace();
    const channels = {
      version: '2022-01-01',
      elements: [
        { type: 'channel' as const, channel: 'sms', elements: [{ type: 'text' as const, content: '{{divide 1 0}}' }] },
        { type: 'channel' as const, channel: 'slack', elements: [{ type: 'text' as const, content: 'chat' }] },
      ],
    };

    const shown = await preview(context, { content: channels });

    expect(textsOf(shown)).toEqual({ slack: 'chat' });
    expect(shown.errors).toEqual([{ channel: 'sms', channel_id: 'sms', message: expect.stringMatching(/^elements\[0\]\.elements\[0\]: /) as string }]); // prettier-ignore
    const { results, errors } = await preview(context, { content: channels, channel: 'push' });
    expect(results).toEqual([]);
    expect(errors).toEqual([{ channel: 'push', channel_id: 'push', message: 'The content is empty for push' }]);
  });

  it.each<[string, object, string]>([
    ['an unclosed {{', { title: 'a', body: 'Hi {{nme"' }, 'content.body: Template line 1: '],
    [
      'an unknown channel',
      { elements: [{ type: 'text', content: 'x', channels: ['emial'] }] },
      'content.elements[0].channels[0] must be one of ',
    ],
  ])('refuses content that a send refuses: %s', async (_, content, message) => {
    await expect(preview(newWorkspace(), { content, channel: 'sms' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message) as string,
    });
  });

  it('reports content above the limits of rendering', async () => {
    const many = Array.from({ length: 10_001 }, () => 1);
    const looping = { version: '2022-01-01', elements: [{ type: 'text' as const, content: 'x', loop: 'data.many' }] };

    const { results, errors } = await preview(newWorkspace(), { content: looping, channel: 'sms', data: { many } });

    expect(results).toEqual([]);
    expect(errors[0]!.message).toMatch(/^elements\[0\]: A loop goes over at most 10000 items/);
  });

  it('shows a tenant’s published template, and its newest version where the draft is requested', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context, { content: textContent('shared') });
    const of = { tenant_id: 'acme', template_id: id };
    const shown = async (version?: string): Promise<Preview> =>
      preview(context, { template: id, tenant_id: 'acme', channel: 'sms', version });

    await call(tenantTemplates.replace, context, { ...of, template: { content: textContent('Acme’s') } });
    expect(textsOf(await shown())).toEqual({ sms: 'shared' });
    expect(await shown('draft')).toMatchObject({ version: 'v1', results: [{ content: { text: 'Acme’s' } }] });

    await call(tenantTemplates.publish, context, of);
    expect(textsOf(await shown())).toEqual({ sms: 'Acme’s' });
    await expect(shown('v007')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('requires a template or content of this workspace and an existing channel', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context);

    await expect(preview(newWorkspace(), { template: id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(preview(context, { template: 'nt_unknown' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(preview(context, { template: 'a/b c' })).rejects.toMatchObject({ code: 'not_found' });
    for (const request of [
      {},
      { template: id, version: 'draft', content: { title: 'a', body: 'b' } },
      { template: id, channel: 'fax' as 'sms' },
      { template: id, provider: 'slack' },
      { content: { title: 'a' } },
      { content: { elements: [{ type: 'nothing' }] } },
      { template: id, brand_id: 'a', brand: {} },
      { template: 'a\0b' },
    ]) {
      await expect(preview(context, request)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});
