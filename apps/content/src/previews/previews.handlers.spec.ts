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
import { newWorkspace } from '../testing/content-story';
import { sharedContent } from '../testing/start-content';
import { buildTemplate, payloadOf, saying } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
const preview = (context: CallContext, asked: PreviewContent): Promise<Preview> => call(previews.render, context, asked);

beforeAll(async () => (content = await sharedContent()));
afterEach(() => jest.restoreAllMocks());

/** The text of each channel that is there. */
const textsOf = ({ results }: Preview): Record<string, string> =>
  Object.fromEntries(results.map(({ channel_id, content: { text } }) => [channel_id, text.trim()]));

describe('a preview', () => {
  it('shows a template in every channel it says something in, as the output of a message would', async () => {
    const context = newWorkspace();
    const template = await buildTemplate(call, context, { content: saying('Hello {name}, {profile.city}') });

    const shown = await preview(context, { template: template.id, data: { name: 'Ann' }, profile: { city: 'Rome' } });

    expect(textsOf(shown)).toEqual(
      Object.fromEntries(['direct_message', 'email', 'push', 'sms', 'webhook', 'inbox'].map((channel) => [channel, 'Hello Ann, Rome'])),
    );
    expect(shown).toMatchObject({ errors: [], version: 'draft' });
    const email = shown.results.find(({ channel }) => channel === 'email')!;
    expect(email.content.html).toContain('Hello Ann, Rome');
    expect(email.content.blocks).toEqual([{ type: 'text', text: 'Hello Ann, Rome' }]);
  });

  it('shows the draft, what is published, or a version', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context, { content: saying('one'), state: 'PUBLISHED' });
    await call(notifications.replace, context, { id, notification: payloadOf({ content: saying('two') }), state: 'PUBLISHED' });
    await call(notifications.replace, context, { id, notification: payloadOf({ content: saying('three') }) });
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
    const { id } = await buildTemplate(call, context, { alias: 'welcome', content: saying('Hello') });
    await call(eventMappings.replace, context, { event_id: 'signed up', id, type: 'notification' as const });

    for (const template of ['welcome', 'signed up']) {
      expect(textsOf(await preview(context, { template, channel: 'sms' }))).toEqual({ sms: 'Hello' });
    }
  });

  it('speaks the recipient’s language, from the catalogue that a send would take', async () => {
    const context = newWorkspace();
    await call(translations.replace, context, { domain: 'default', locale: 'fr', translation: 'msgid "Hello"\nmsgstr "Bonjour"\n' });
    const asked = { content: { title: 'x', body: '{{t "Hello"}}' }, channel: 'sms' as const };

    expect(textsOf(await preview(context, { ...asked, locale: 'fr_CA' }))).toEqual({ sms: 'Bonjour' });
    expect(textsOf(await preview(context, { ...asked, profile: { locale: 'fr' } }))).toEqual({ sms: 'Bonjour' });
    expect(textsOf(await preview(context, asked))).toEqual({ sms: 'Hello' });
  });

  it('is in the brand of the request, stored or not, else in the template’s', async () => {
    const context = newWorkspace();
    const branded = (name: string): PreviewBrand => ({
      settings: { email: { footer: { markdown: `Footer of ${name}` } } },
      snippets: { items: [{ name: 'who', value: name }] },
    });
    await call(brands.create, context, { id: 'acme', ...branded('Acme'), name: 'Acme' });
    const { id } = await buildTemplate(call, context, { brand: { id: 'acme' }, content: saying('{{> who}}') });
    const htmlOf = async (asked: PreviewContent): Promise<string> =>
      (await preview(context, { channel: 'email', ...asked })).results[0]!.content.html;

    expect(await htmlOf({ template: id })).toContain('Footer of Acme');
    expect(await htmlOf({ template: id, brand: branded('Draft') })).toContain('Footer of Draft');
    expect(await htmlOf({ content: saying('{{> who}}'), brand_id: 'acme' })).toContain('Footer of Acme');
    await expect(htmlOf({ template: id, brand_id: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'Brand nobody does not exist',
    });
  });

  it('is without a brand where the template is, as a send would be, and in the default one where nobody says', async () => {
    const context = newWorkspace();
    await call(brands.replace, context, { brand_id: 'default', name: 'D', settings: { email: { footer: { markdown: 'Footer of D' } } } });
    const content = saying('In {brand.name}');
    const { id } = await buildTemplate(call, context, { brand: null, content });
    const tenants = { tenant_id: 'acme', template_id: 'own', template: { content } };
    await call(tenantTemplates.replace, context, tenants);
    const textOf = async (asked: PreviewContent): Promise<string> => textsOf(await preview(context, { channel: 'email', ...asked })).email!;

    expect(await textOf({ template: id })).toBe('In {brand.name}');
    expect(await textOf({ content })).toBe('In D\n\n-- \nFooter of D');
    expect(await textOf({ template: 'own', tenant_id: 'acme', version: 'draft' })).toContain('Footer of D');
    expect(await textOf({ template: id, brand_id: 'default' })).toContain('Footer of D');
  });

  it('takes an unstored brand’s missing parts from the default brand', async () => {
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

  it('tells what rendering warns of, and that the template’s brand is not there', async () => {
    const context = newWorkspace();
    const loop = { version: '2022-01-01', elements: [{ type: 'text' as const, content: 'x', loop: 'data.none' }] };
    const { id } = await buildTemplate(call, context, { brand: { id: 'gone' }, content: loop });

    const { results } = await preview(context, { template: id, channel: 'sms' });

    expect(results[0]!.warnings).toEqual([
      "The template's brand gone does not exist: the message has none",
      expect.stringContaining('there is no list') as string,
    ]);
  });

  it('tells why an unstored brand would be refused, also where it is rendered', async () => {
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

  it('shows an unstored brand also while nobody can tell whether it would be refused', async () => {
    const pool = content.get(RenderPool);
    const run = pool.run.bind(pool);
    jest.spyOn(pool, 'run').mockImplementation((owner, job, ...more) => {
      if ((job as string) === 'checkBrand') throw unavailable('too busy');
      return run(owner, job, ...more);
    });

    const { results } = await preview(newWorkspace(), { content: { title: 'a', body: 'b' }, channel: 'email', brand: { name: 'B' } });

    expect(results[0]!.content.text).toContain('b');
    expect(results[0]!.warnings).toEqual(['Whether the brand would be refused could not be seen now: too busy']);
  });

  it('tells channel by channel what cannot be rendered, and shows the rest', async () => {
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
    expect(errors).toEqual([{ channel: 'push', channel_id: 'push', message: 'The content has nothing to say by push' }]);
  });

  it.each<[string, object, string]>([
    ['a {{ that is shown as it stands', { title: 'a', body: 'Hi {{nme"' }, 'content.body: Template line 1: '],
    [
      'a channel that there is none of',
      { elements: [{ type: 'text', content: 'x', channels: ['emial'] }] },
      'content.elements[0].channels[0] must be one of ',
    ],
  ])('refuses content that a send refuses: %s', async (_, content, message) => {
    await expect(preview(newWorkspace(), { content, channel: 'sms' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message) as string,
    });
  });

  it('of more than rendering may do says so', async () => {
    const many = Array.from({ length: 10_001 }, () => 1);
    const looping = { version: '2022-01-01', elements: [{ type: 'text' as const, content: 'x', loop: 'data.many' }] };

    const { results, errors } = await preview(newWorkspace(), { content: looping, channel: 'sms', data: { many } });

    expect(results).toEqual([]);
    expect(errors[0]!.message).toMatch(/^elements\[0\]: A loop goes over at most 10000 items/);
  });

  it('shows a tenant’s template where it is published, and its newest version where the draft is asked for', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context, { content: saying('everybody’s') });
    const of = { tenant_id: 'acme', template_id: id };
    const shown = async (version?: string): Promise<Preview> =>
      preview(context, { template: id, tenant_id: 'acme', channel: 'sms', version });

    await call(tenantTemplates.replace, context, { ...of, template: { content: saying('Acme’s') } });
    expect(textsOf(await shown())).toEqual({ sms: 'everybody’s' });
    expect(await shown('draft')).toMatchObject({ version: 'v1', results: [{ content: { text: 'Acme’s' } }] });

    await call(tenantTemplates.publish, context, of);
    expect(textsOf(await shown())).toEqual({ sms: 'Acme’s' });
    await expect(shown('v007')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('needs one thing to show, of this workspace, and a channel that exists', async () => {
    const context = newWorkspace();
    const { id } = await buildTemplate(call, context);

    await expect(preview(newWorkspace(), { template: id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(preview(context, { template: 'nt_nobody' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(preview(context, { template: 'a/b c' })).rejects.toMatchObject({ code: 'not_found' });
    for (const asked of [
      {},
      { template: id, content: { title: 'a', body: 'b' } },
      { template: id, channel: 'fax' as 'sms' },
      { template: id, provider: 'slack' },
      { content: { title: 'a' } },
      { content: { elements: [{ type: 'nothing' }] } },
      { template: id, brand_id: 'a', brand: {} },
      { template: 'a\0b' },
    ]) {
      await expect(preview(context, asked)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});
