import { TRANSLATION_BYTES_MAX, translations } from '@tidings/contracts/content/translations';
import type { CallContext } from '@tidings/contracts/core/context';
import type { TestService } from '@tidings/testing/service';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { type ContentListener, listenToContent, newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';

let content: TestService;
let listener: ContentListener;
const call: TestService['call'] = (...parameters) => content.call(...parameters);

beforeAll(async () => {
  content = await sharedContent();
  listener = await listenToContent(content);
});
afterAll(() => listener.close());

const put = (context: CallContext, locale: string, translation: string, domain = 'default') =>
  call(translations.replace, context, { domain, locale, translation });
const get = (context: CallContext, locale: string, domain = 'default') => call(translations.retrieve, context, { domain, locale });
const PO = 'msgid ""\nmsgstr ""\n"Language: fr\\n"\n\n#, c-format\nmsgid "Hello %s"\nmsgstr "Bonjour %s"\n';

describe('a translation', () => {
  it.each([
    ['as editors write it', PO],
    ['with Windows line ends', PO.replaceAll('\n', '\r\n')],
    ['with a byte order mark, and blanks at the end', `\ufeff${PO} \n\n\t`],
    ['with characters beyond the basic plane', 'msgid "😀"\nmsgstr "e\u0301 é 漢字 \u2028"'],
    ['with nothing in it', ''],
  ])('%s is returned as it was put, byte for byte', async (_, po) => {
    const context = newWorkspace();

    await expect(put(context, 'fr_FR', po)).resolves.toEqual({ translation: po });

    await expect(get(context, 'fr_FR')).resolves.toEqual({ translation: po });
  });

  it('replaces the previous one', async () => {
    const context = newWorkspace();
    await put(context, 'fr', PO);

    await put(context, 'fr', 'msgid "a"\nmsgstr "b"');

    await expect(get(context, 'fr')).resolves.toEqual({ translation: 'msgid "a"\nmsgstr "b"' });
  });

  it('belongs to one locale in all its spellings, and to no other', async () => {
    const context = newWorkspace();
    await put(context, 'en-us', 'msgid "a"\nmsgstr "us"');
    await put(context, 'EN_us', PO);
    await put(context, 'en_GB', 'msgid "a"\nmsgstr "gb"');

    for (const spelling of ['en_US', 'en-US', 'EN-US', 'en_us']) await expect(get(context, spelling)).resolves.toEqual({ translation: PO });
    await expect(get(context, 'en')).rejects.toMatchObject({ code: 'not_found', message: 'There are no translations into en' });
  });

  it('belongs to the domain default; no other domain exists', async () => {
    const context = newWorkspace();
    await put(context, 'fr', PO);
    const unknown = { code: 'not_found', message: 'Domain emails does not exist; translations are of the domain default' };

    await expect(get(context, 'fr', 'emails')).rejects.toMatchObject(unknown);
    await expect(put(context, 'fr', PO, 'emails')).rejects.toMatchObject(unknown);
    await expect(put(context, 'fr', 'nonsense', 'emails')).rejects.toMatchObject(unknown);
  });

  it('that is invalid is refused with its line and leaves the previous one', async () => {
    const context = newWorkspace();
    await put(context, 'fr', PO);

    await expect(put(context, 'fr', `${PO}\nmsgid "a\n`)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The translation is not a .po text: line 9: the text in quotes does not end on its line',
    });
    await expect(get(context, 'fr')).resolves.toEqual({ translation: PO });
  });

  it('may have the allowed bytes, counted as JSON, and no more', async () => {
    const context = newWorkspace();
    const fitting = `# ${'é'.repeat((TRANSLATION_BYTES_MAX - 6) / 2)}\n`;
    expect(Buffer.byteLength(JSON.stringify(fitting))).toBe(TRANSLATION_BYTES_MAX);

    await expect(put(context, 'fr', fitting)).resolves.toBeDefined();
    await expect(put(context, 'fr', `${fitting} `)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`would take ${TRANSLATION_BYTES_MAX + 1} bytes`) as string,
    });
  });

  it.each<[string, string, string, string]>([
    ['a NUL in it', 'fr', '# \0', 'translation'],
    ['half a surrogate pair in it', 'fr', '# \ud800', 'translation'],
    ['a NUL in its locale', 'f\0', PO, 'locale'],
    ['a locale that is too long', 'f'.repeat(65), PO, 'locale'],
    ['a locale of a hyphen alone', '-', PO, 'locale must be the name of a language'],
    ['a locale with a blank', 'en US', PO, 'locale must be the name of a language'],
    ['a locale with a slash', 'a/b', PO, 'locale must be the name of a language'],
    ['an invalid plural rule', 'fr', 'msgid ""\nmsgstr "Plural-Forms: none\\n"\n', 'line 2: Plural-Forms must be'],
  ])('cannot have %s', async (_, locale, po, named) => {
    const refused = { code: 'invalid_request', message: expect.stringContaining(named) as string };
    await expect(put(newWorkspace(), locale, po)).rejects.toMatchObject(refused);
  });

  it('is put once by a call that is delivered twice', async () => {
    const context = newWorkspace();
    const redelivered = content.redelivered();
    const deliver = () => redelivered(translations.replace, context, { domain: 'default', locale: 'fr', translation: PO });

    await expect(deliver()).resolves.toEqual({ translation: PO });
    await put(context, 'fr', '');
    await expect(deliver()).resolves.toEqual({ translation: PO });

    await expect(get(context, 'fr')).resolves.toEqual({ translation: '' });
    await put(context, 'de', '');
    await expect(listener.publishedOf(context, 3)).resolves.toEqual([
      ['translation', 'de'],
      ['translation', 'fr'],
      ['translation', 'fr'],
    ]);
  });

  it('is published under the canonical locale, and not when refused', async () => {
    const context = newWorkspace();
    await put(context, 'pt-br', PO);
    await put(context, 'fr', 'nonsense').catch(() => undefined);
    await put(context, 'de', PO);

    await expect(listener.publishedOf(context, 2)).resolves.toEqual([
      ['translation', 'de'],
      ['translation', 'pt_BR'],
    ]);
  });

  it('is one of several concurrent puts', async () => {
    const context = newWorkspace();
    const texts = Array.from({ length: 8 }, (_, n) => `# ${n}`);

    await Promise.all(texts.map((text) => put(context, 'fr', text)));

    expect(texts).toContain((await get(context, 'fr')).translation);
  });
});

describe('the list of translations', () => {
  const list = (context: CallContext, request: { locale?: string; cursor?: string; limit?: number } = {}) =>
    call(translations.list, context, request);

  it('has domain, locale and size of each, by locale, over pages', async () => {
    const context = newWorkspace();
    for (const locale of ['fr_FR', 'de', 'pt-br']) await put(context, locale, '# é\n');

    const first = await list(context, { limit: 2 });
    const second = await list(context, { limit: 2, cursor: first.paging.cursor });

    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
    expect(first.results[0]).toEqual({ domain: 'default', locale: 'de', bytes: 8, created: date, updated: date });
    expect([first, second].map(({ results }) => results.map(({ locale }) => locale))).toEqual([['de', 'fr_FR'], ['pt_BR']]);
    expect([first.paging.more, second.paging.more]).toEqual([true, false]);
  });

  it('has one locale in any spelling, or none', async () => {
    const context = newWorkspace();
    for (const locale of ['fr_FR', 'de']) await put(context, locale, '');

    expect((await list(context, { locale: 'FR-fr' })).results.map(({ locale }) => locale)).toEqual(['fr_FR']);
    expect((await list(context, { locale: 'fr' })).results).toEqual([]);
    await expect(list(context, { locale: 'a/b' })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describeWorkspaceIsolation('a translation', {
  arrange: async (owner) => void (await put(owner, 'fr', PO)),
  read: (owner) => get(owner, 'fr'),
  attempts: {
    retrieve: { attempt: (stranger) => get(stranger, 'fr'), refusedWith: 'not_found' },
    replace: { attempt: (stranger) => put(stranger, 'fr', '# theirs') },
    list: { attempt: async (stranger) => (await call(translations.list, stranger, {})).results[0] },
  },
});
