import { sendingTranslations } from '@tidings/contracts/content/sending';
import { TRANSLATION_BYTES_MAX, translations } from '@tidings/contracts/content/translations';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);

beforeAll(async () => {
  content = await sharedContent();
});

const put = (context: CallContext, locale: string, translation = `# ${locale}`) =>
  call(translations.replace, context, { domain: 'default', locale, translation });
const load = async (...keys: [context: CallContext, locale?: string][]) => {
  const requests = keys.map(([{ workspaceId }, locale]) => ({ workspace_id: workspaceId, ...(locale !== undefined && { locale }) }));
  return (await call(sendingTranslations.load, systemContext('spec'), { translations: requests })).translations;
};
const localesOf = async (...keys: [context: CallContext, locale?: string][]) =>
  (await load(...keys)).map(({ catalogues }) => catalogues.map(({ locale }) => locale));

describe('translations for sending', () => {
  it('are those of the locale, its language and the default locale, as far as they exist', async () => {
    const context = newWorkspace();
    for (const locale of ['fr_CA', 'fr', 'fr_FR', 'en_US', 'de']) await put(context, locale);

    const found = await localesOf(
      [context, 'fr-ca'],
      [context, 'fr_BE'],
      [context, 'de_AT'],
      [context, 'ja'],
      [context, 'en_US'],
      [context],
    );

    expect(found).toEqual([['fr_CA', 'fr', 'en_US'], ['fr', 'en_US'], ['de', 'en_US'], ['en_US'], ['en_US'], ['en_US']]);
  });

  it('are texts with a version that changes with the text', async () => {
    const context = newWorkspace();
    await put(context, 'fr', '# first');
    const [first] = (await load([context, 'fr']))[0]!.catalogues;

    await put(context, 'fr', '# second');

    const [second] = (await load([context, 'fr']))[0]!.catalogues;
    expect([first!.po, second!.po]).toEqual(['# first', '# second']);
    expect(second!.version).not.toBe(first!.version);
  });

  it('are those of the requested workspace', async () => {
    const [one, other] = [newWorkspace(), newWorkspace()];
    await put(one, 'fr', '# one');
    await put(other, 'fr', '# other');

    const found = await load([other, 'fr'], [newWorkspace(), 'fr'], [one, 'fr']);

    expect(found.map(({ catalogues }) => catalogues.map(({ po }) => po))).toEqual([['# other'], [], ['# one']]);
  });

  it('are the default’s for an invalid locale, which does not affect others', async () => {
    const context = newWorkspace();
    await put(context, 'en');
    await put(context, 'fr');

    const found = await localesOf(
      [context, ''],
      [context, 'f\0'],
      [context, 'fr_\ud800'],
      [context, 'x'.repeat(100_000)],
      [context, '../fr'],
      [context, 'fr'],
    );

    expect(found).toEqual([['en'], ['en'], ['en'], ['en'], ['en'], ['fr', 'en']]);
  });

  it('load in one statement, whole chains up to the size limit', async () => {
    const context = newWorkspace();
    for (const locale of ['zh_Hans_CN', 'zh_Hans', 'zh', 'en_US', 'en'])
      await put(context, locale, `# ${'x'.repeat(TRANSLATION_BYTES_MAX - 4)}`);

    let found: Awaited<ReturnType<typeof load>> = [];
    const runs = await runsOf(async () => {
      found = await load([context, 'zh-hans-cn'], [context, 'zh_Hans_CN'], [context, 'zh']);
    });

    expect(runs).toHaveLength(1);
    expect(found.map(({ catalogues }) => catalogues.map(({ locale }) => locale))).toEqual([['zh_Hans_CN', 'zh_Hans', 'zh', 'en_US', 'en']]);
  });

  it('are empty for an empty request', async () => {
    await expect(load()).resolves.toEqual([]);
  });
});
