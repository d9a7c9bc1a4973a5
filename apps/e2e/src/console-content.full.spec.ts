import { itWith } from '@tidings/testing/installed-tools';
import type { Page } from 'playwright-core';
import { ApiClient } from './testing/api-client';
import { HeadlessBrowser } from './testing/browser';
import { expectShown, expectText } from './testing/console-expectations';
import { ConsolePages } from './testing/console-pages';
import type { SharedSystem } from './testing/shared-system';

declare const getComputedStyle: (element: never) => { backgroundColor: string };
interface Selection {
  value: string;
  selectionStart: number;
  selectionEnd: number;
}

const itShows = itWith(HeadlessBrowser);
let system: SharedSystem;
const pages = ConsolePages.use((joined) => (system = joined));

/** Browsers log refused requests, which these tests make on purpose. */
const isNoRefusal = (error: string): boolean => !/status of 4\d\d/.test(error);

const putTranslations = (locale: string, text: string): Promise<unknown> =>
  request('PUT', `/translations/default/${locale}`, JSON.stringify(text));

async function request<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await system.client.request<Body>(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** The selected text of a field: the line of a problem. */
const selected = (page: Page, label: string): Promise<string> =>
  page.getByLabel(label).evaluate((element) => {
    const { value, selectionStart, selectionEnd } = element as unknown as Selection;
    return value.slice(selectionStart, selectionEnd);
  });

describe('Brands', () => {
  itShows('are created, edited beside a mail in them, published, made the default and deleted', async () => {
    const { page, errors } = await pages.signedIn('/brands');
    await expectText(page.getByRole('table', { name: 'Brands' }), /default brand/);
    await page.getByLabel('Name').fill('Acme & Co');
    await page.getByLabel(/^Id/).fill('acme');
    await page.getByRole('button', { name: 'New brand' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Acme & Co' }));

    const mail = page.frameLocator('iframe[title="Rendered output"]');
    await page.getByLabel(/^Primary colour/).fill('rgb(1, 2, 3)');
    await page.getByLabel('Text of the footer, in Markdown').fill('Acme, **Lyon**');
    await expectShown(mail.getByText('Lyon'));
    await expectShown(page.getByText('Not published yet.'));
    const button = mail.getByRole('link', { name: 'Follow it' });
    const colors = await button.evaluate((element) => {
      const { parentElement } = element as unknown as { parentElement: never };
      return [element as never, parentElement].map((one) => getComputedStyle(one).backgroundColor);
    });
    expect(colors).toContain('rgb(1, 2, 3)');

    await page.getByRole('button', { name: 'Publish' }).click();
    await expectText(page.getByRole('status'), /^Published\.$/);
    const { settings } = await request<{ settings: object }>('GET', '/brands/acme');
    expect(settings).toEqual({ colors: { primary: 'rgb(1, 2, 3)' }, email: { footer: { markdown: 'Acme, **Lyon**' } } });

    await page.getByRole('button', { name: 'Make default' }).click();
    await page.getByRole('button', { name: 'Confirm default' }).click();
    await expectText(page.getByRole('status'), /default brand has these settings/);
    expect((await request<{ settings: object }>('GET', '/brands/default')).settings).toEqual(settings);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Confirm delete' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Brands' }));
    await page.getByRole('link', { name: 'Acme & Co' }).waitFor({ state: 'hidden' });
    expect(errors).toEqual([]);
  });

  itShows('that are refused show why at the field, or at the line of the JSON', async () => {
    await request('POST', '/brands', { id: 'refused', name: 'Refused' });
    const { page, errors } = await pages.signedIn('/brands/refused');
    await page.getByLabel(/^Primary colour/).fill('bluish');
    await page.getByLabel('Text of the footer, in Markdown').fill('Lyon');
    await expectShown(page.frameLocator('iframe[title="Rendered output"]').getByText('Lyon'));
    expect(errors).toEqual([]);
    await page.getByRole('button', { name: 'Publish' }).click();
    await expectText(page.getByRole('alert'), /^settings\.colors\.primary must be a color/);
    expect(await page.getByLabel(/^Primary colour/).getAttribute('aria-invalid')).toBe('true');

    await page.getByRole('link', { name: 'JSON' }).click();
    expect(new URL(page.url()).search).toBe('?view=json');
    await page.getByRole('button', { name: 'Publish' }).click();
    await expectText(page.getByRole('alert'), /^Line 5: settings\.colors\.primary must be a color/);
    expect(await selected(page, 'Brand as JSON')).toBe('      "primary": "bluish"');
    expect(errors.filter(isNoRefusal)).toEqual([]);
  });
});

describe('Translations', () => {
  itShows('are listed, created with errors at their line, and compared with another language', async () => {
    await putTranslations('en_US', 'msgid "Hello"\nmsgstr "Hello"\n\nmsgctxt "menu"\nmsgid "Open"\nmsgstr "Open"\n');
    const { page, errors } = await pages.signedIn('/translations');
    await expectShown(page.getByRole('table', { name: 'Translations' }).getByRole('link', { name: 'en_US' }));
    await page.getByLabel('Language, as fr_FR').fill('fr-fr');
    await page.getByRole('button', { name: 'Open' }).click();
    await expectText(page.getByRole('main'), /There are no translations into this language yet/);

    const field = page.getByLabel('Text of the .po file');
    const missing = page.getByRole('table', { name: 'Missing translations' });
    await field.fill('msgid "Hello"\nmsgstr "Bonjour"\n\nmsgid "a\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectText(page.getByRole('alert'), /^Line 4: .*does not end on its line/);
    expect(await selected(page, 'Text of the .po file')).toBe('msgid "a');
    await field.fill('msgid "Hello"\nmsgstr "Bonjour"\n');
    await expectText(missing.getByRole('row').nth(1), /Open.*menu.*no entry/s);

    await page.getByRole('button', { name: 'Add empty entries' }).click();
    await expectText(missing.getByRole('row').nth(1), /not translated/);
    await field.fill((await field.inputValue()).replace('msgstr ""', 'msgstr "Ouvrir"'));
    await expectText(page.getByRole('region', { name: 'Missing translations' }), /Every text of the other language is translated/);
    await page.getByRole('button', { name: 'Save' }).click();
    await expectText(page.getByRole('status'), /^Saved\.$/);
    await expectShown(page.getByRole('heading', { level: 1, name: 'fr_FR' }));
    const { body } = await system.client.request<string>('GET', '/translations/default/fr_FR');
    expect(body).toBe('msgid "Hello"\nmsgstr "Bonjour"\n\nmsgctxt "menu"\nmsgid "Open"\nmsgstr "Ouvrir"\n');
    expect(errors.filter(isNoRefusal)).toEqual([]);
  });
});

describe('Preferences', () => {
  itShows('are created, edited, published with what changed since, and archived', async () => {
    const { page, errors } = await pages.signedIn('/preferences');
    await expectText(page.getByRole('main'), /No topics.*curl -X POST/s);
    await page.getByLabel('Name').fill('News');
    await page.getByRole('button', { name: 'New section' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'News' }));

    await page.getByText('Its fields').click();
    const topic = page.getByRole('region', { name: 'New topic' });
    await topic.getByLabel('Name').fill('Releases');
    await topic.getByRole('button', { name: 'Default' }).click();
    await page.getByRole('option', { name: /^OPTED_OUT/ }).click();
    await topic.getByRole('checkbox', { name: 'push' }).check();
    await topic.getByRole('button', { name: 'New topic' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Releases' }));
    await page.getByRole('link', { name: 'Preferences' }).first().click();
    await expectText(page.getByRole('table', { name: 'Preferences' }), /Releases.*News.*OPTED_OUT.*push/s);

    await page.getByLabel('Heading of the page').fill('Your choice');
    await page.getByRole('button', { name: 'Publish' }).click();
    const publication = page.getByRole('region', { name: 'Publication' });
    await expectText(publication, /Nothing changed since the publication/);
    await page.getByRole('table', { name: 'Preferences' }).getByRole('link', { name: 'Releases' }).click();
    await page.getByLabel('E-mails have the header List-Unsubscribe').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expectText(page.getByRole('status'), /^Saved\.$/);
    const { results } = await request<{ results: { topics: object[] }[] }>('GET', '/preferences/sections');
    expect(results[0]!.topics).toMatchObject([{ name: 'Releases', default_status: 'OPTED_OUT', include_unsubscribe_header: true }]);
    await page.goBack();
    await expectText(publication.getByRole('listitem'), /changed.*topic.*Releases/s);

    await publication.getByRole('link', { name: 'Releases' }).click();
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Confirm archive' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'News' }));
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Confirm archive' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Preferences' }));
    await expectText(publication.getByRole('listitem'), /archived.*section.*sct_/s);
    await expectText(publication.getByRole('listitem'), /archived.*topic.*tpc_/s);
    expect(errors).toEqual([]);
  });
});

describe('Routing strategies', () => {
  itShows('are shown as a tree with the templates that use them, edited as JSON, and archived when unused', async () => {
    const { id } = await request<{ id: string }>('POST', '/routing-strategies', {
      name: 'Urgent',
      routing: { method: 'single', channels: ['email', { method: 'all', channels: ['sms', 'push'] }] },
      channels: { email: { providers: ['smtp', 'ses'], if: 'data.urgent == true' } },
    });
    const content = { version: '2022-01-01', elements: [{ type: 'text', content: 'Hello' }] };
    const notification = { name: 'Alarm', content, routing: { strategy_id: id } };
    const template = await request<{ id: string }>('POST', '/notifications', { notification });
    const { page, errors } = await pages.signedIn('/routing-strategies');
    await page.getByRole('table', { name: 'Routing strategies' }).getByRole('link', { name: 'Urgent' }).click();
    const tree = page.getByRole('region', { name: 'Routing' });
    await expectText(tree, /In this order.*email.*only if.*data\.urgent.*smtp.*ses.*All of these.*sms.*push/s);
    await expectShown(page.getByRole('table', { name: 'Templates that use it' }).getByRole('link', { name: 'Alarm' }));
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Confirm archive' }).click();
    await expectText(page.getByRole('alert'), /is linked with templates/);
    await page.getByRole('button', { name: 'Close' }).click();

    const field = page.getByLabel('Routing strategy as JSON');
    await field.fill((await field.inputValue()).replace('"push"', '7'));
    await page.getByRole('button', { name: 'Save' }).click();
    await expectText(page.getByRole('alert'), /^Line \d+: routing\.channels\[1\]\.channels\[1\]/);
    expect((await selected(page, 'Routing strategy as JSON')).trim()).toBe('7');
    await field.fill((await field.inputValue()).replace(' 7', ' "inbox"'));
    await page.getByRole('button', { name: 'Save' }).click();
    await expectText(page.getByRole('status'), /^Saved/);
    await expectText(tree, /sms.*inbox/s);

    await request('PUT', `/notifications/${template.id}`, { notification: { name: 'Alarm', content } });
    await page.reload();
    await expectText(page.getByRole('main'), /No template uses it/);
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Confirm archive' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Routing strategies' }));
    await page.getByRole('link', { name: 'Urgent' }).waitFor({ state: 'hidden' });
    expect(errors.filter(isNoRefusal)).toEqual([]);
  });
});

describe('A key that may only read', () => {
  itShows('has disabled actions, which name the scope', async () => {
    const scopes = ['read:brands', 'read:translations', 'read:preference-sections', 'read:routing-strategies'];
    const operator = new ApiClient(system.url, system.adminKey);
    const { body } = await operator.request<{ key: string }>('POST', `/admin/workspaces/${system.workspaceId}/keys`, {
      body: { mode: 'production', name: 'reader', scopes },
    });
    const { page } = await pages.signedIn('/brands/default', { key: body.key });
    for (const [path, button, scope] of [
      ['/brands/default', 'Publish', 'write:brands'],
      ['/translations/default/de', 'Save', 'write:translations'],
      ['/preferences', 'Publish', 'write:preference-sections'],
      ['/routing-strategies', 'New routing strategy', 'write:routing-strategies'],
    ] as const) {
      await page.goto(pages.address(path));
      await expectText(page.getByRole('main'), new RegExp(`lacks the scope ${scope}`));
      expect(await page.getByRole('button', { name: button }).isDisabled()).toBe(true);
    }
  });
});

describe('Each page', () => {
  const FAULTLESS = 'has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host, in both schemes';

  itShows(`of brands and translations ${FAULTLESS}`, async () => {
    const settings = { colors: { primary: '#9D3789' }, email: { footer: { markdown: 'Acme' } } };
    await request('PUT', '/brands/default', { name: 'Acme', settings });
    await putTranslations('en_US', 'msgid "Hello"\nmsgstr "Hello"\n');
    await putTranslations('de', 'msgid "Hi"\nmsgstr ""\n');
    const paths = ['/brands', '/brands/default', '/brands/default?view=json', '/translations', '/translations/default/de'];
    expect(await pages.faultsOf(paths)).toEqual([]);
  });

  itShows(`of preferences and routing strategies ${FAULTLESS}`, async () => {
    const body = { name: 'News', description: 'What happens', routing_options: ['email'] };
    const section = await request<{ id: string }>('POST', '/preferences/sections', body);
    const topicBody = { name: 'Releases', default_status: 'OPTED_IN' };
    const topic = await request<{ id: string }>('POST', `/preferences/sections/${section.id}/topics`, topicBody);
    await request('POST', '/preferences/publish', { heading: 'Your choice' });
    await request('PUT', `/preferences/sections/${section.id}`, { name: 'Updates' });
    const { id } = await request<{ id: string }>('POST', '/routing-strategies', {
      name: 'Nested',
      routing: { method: 'single', channels: ['email', { method: 'all', channels: ['sms', 'push'] }] },
      channels: { sms: { if: 'data.urgent == true' } },
    });
    const preferences = ['', `/${section.id}`, `/${section.id}/${topic.id}`, '/none'].map((path) => `/preferences${path}`);
    expect(await pages.faultsOf([...preferences, '/routing-strategies', `/routing-strategies/${id}`])).toEqual([]);
  });
});
