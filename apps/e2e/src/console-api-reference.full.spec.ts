import { randomUUID } from 'node:crypto';
import { itWith } from '@tidings/testing/installed-tools';
import { ApiClient } from './testing/api-client';
import { HeadlessBrowser } from './testing/browser';
import { expectShown, expectText } from './testing/console-expectations';
import { ConsolePages } from './testing/console-pages';
import type { SharedSystem } from './testing/shared-system';

const itShows = itWith(HeadlessBrowser);
let system: SharedSystem;
const pages = ConsolePages.use((joined) => (system = joined));

describe('The API reference', () => {
  itShows('is read signed out: found by words and by fields, with schemas, errors and an example in each language', async () => {
    const watched = await pages.open('/docs');
    const { page, errors } = watched;
    await page.goto(system.url);
    await page.getByRole('link', { name: '/docs' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'API reference' }));
    const search = page.getByRole('searchbox', { name: 'Search operations' });

    await page.keyboard.press('/');
    await page.keyboard.type('tenants parent_tenant_id put');
    await page.keyboard.press('Enter');
    await expectText(page.getByRole('status'), /^\d+ operations?$/);
    expect(new URL(page.url()).search).toBe('?query=tenants+parent_tenant_id+put');
    await expectText(page.getByRole('listitem').filter({ hasText: 'PUT /tenants/{tenant_id}' }), /Fields: parent_tenant_id/);
    await search.fill('nothing-has-this');
    await page.keyboard.press('Enter');
    await expectText(page.getByRole('main'), /No operation has/);

    await search.fill('post /send');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'POST /send', exact: true }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'POST /send' }));
    expect(new URL(page.url()).pathname).toBe('/docs/post-send');
    await expectText(page.getByRole('region', { name: 'Summary' }), /write:send/);
    await expectText(page.getByRole('table', { name: 'Errors' }), /429/);
    const body = page.getByRole('region', { name: 'Request body' });
    await body.getByText('Fields of OutgoingMessage').click();
    await body.getByText('Fields of MessageMetadata').click();
    await expectText(body.getByRole('list', { name: 'Fields of MessageMetadata' }), /trace_id\s+string or null, at most \d+ characters/);
    const code = page.getByRole('region', { name: 'Example' });
    await expectText(code, new RegExp(`curl -sS -X POST ${system.url}/send`));
    await code.getByRole('link', { name: 'Python' }).click();
    await expectText(code, /client\.send\.message\(/);
    await page.reload();
    await expectText(code, /client\.send\.message\(/);
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('link', { name: 'POST /send/list' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'POST /send/list' }));

    expect(errors).toEqual([]);
    expect(watched.hosts).toEqual([new URL(system.url).host]);
  });

  itShows('sends a request with a typed key, which it stores nowhere, and shows the answer', async () => {
    const { page, errors } = await pages.open('/docs/get-lists');
    const form = page.getByRole('region', { name: 'Try it' });
    await form.getByLabel('API key').fill('pk_prod_wrong');
    await form.getByRole('button', { name: 'Send request' }).click();
    await expectText(form.getByRole('status'), /^Answered 401/);
    expect(errors.splice(0)).toEqual([expect.stringContaining('401')]); // the browser's own line

    await form.getByLabel('API key').fill(system.key);
    await form.getByRole('button', { name: 'Send request' }).click();
    await expectText(form.getByRole('status'), /^Answered 200.* in \d+ ms$/);
    await expectText(form.getByRole('group', { name: 'Headers of the answer' }), /content-type: application\/json/);
    await expectText(form.getByRole('group', { name: 'Body of the answer' }), /"items": \[/);

    await page.getByRole('navigation', { name: 'Operations' }).getByRole('link', { name: 'GET /lists/{list_id}', exact: true }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'GET /lists/{list_id}' }));
    expect(await form.getByLabel('API key').inputValue()).toBe(system.key);
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])');
    expect(stored).not.toContain(system.key);
    await page.reload();
    expect(await form.getByLabel('API key').inputValue()).toBe('');
    expect(errors).toEqual([]);
  });

  itShows('is a screen of the console, where the session sends requests, as far as its scopes allow', async () => {
    const { page, errors } = await pages.signedIn('/overview');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API reference' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'API reference' }));
    expect(page.url()).toBe(pages.address('/api-reference'));
    await page.getByRole('link', { name: 'PUT /lists/{list_id}', exact: true }).click();
    const form = page.getByRole('region', { name: 'Try it' });
    await expectText(form, /Changes data/);
    const id = `list-${randomUUID()}`;
    await form.getByLabel('list_id').fill(id);
    await form.getByRole('textbox', { name: 'Body' }).fill('{"name": "From the reference"}');
    await form.getByRole('button', { name: 'Send request' }).click();
    await expectText(form.getByRole('status'), /^Answered 20\d/);
    expect((await system.client.request<{ name: string }>('GET', `/lists/${id}`)).body.name).toBe('From the reference');
    expect(errors).toEqual([]);

    const operator = new ApiClient(system.url, system.adminKey);
    const made = { mode: 'production', name: 'reader', scopes: ['read:lists'] };
    const { body } = await operator.request<{ key: string }>('POST', `/admin/workspaces/${system.workspaceId}/keys`, { body: made });
    const reader = await pages.signedIn('/api-reference/put-lists-list_id', { key: body.key });
    const button = reader.page.getByRole('button', { name: 'Send request' });
    await expectText(reader.page.getByRole('region', { name: 'Try it' }), /lacks the scope write:lists/);
    expect(await button.isDisabled()).toBe(true);
    await reader.page.getByLabel('Credential').selectOption('key');
    expect(await button.isDisabled()).toBe(false);
  });

  itShows('has the topics, found by words and by fields, with keys, schemas and records', async () => {
    const { page, errors } = await pages.open('/docs');
    await page.getByRole('link', { name: 'Events on Kafka topics' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Events on Kafka topics' }));
    expect(await page.locator('main nav [aria-current]').allInnerTexts()).toEqual(['Events on Kafka topics']);
    await page.getByRole('searchbox', { name: 'Search topics' }).fill('history messageid');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'tidings.message-history.v1' }).click();

    await expectShown(page.getByRole('heading', { level: 1, name: 'tidings.message-history.v1' }));
    await expectText(page.getByRole('region', { name: 'Summary' }), /workspaceId, messageId of the payload/);
    await expectText(page.getByRole('region', { name: 'Read it' }), /--topic (?:[\w-]+\.)?tidings\.message-history\.v1/);
    const event = page.getByRole('region', { name: 'HistoryEventRecorded' });
    await expectText(event.getByRole('group', { name: 'Example of a record' }), /"ce_specversion": "1\.0"/);
    await expectText(event.getByRole('list', { name: 'Fields of HistoryEventRecorded' }), /number\s+required/);
    expect(errors).toEqual([]);
  });

  itShows('has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host, in both schemes', async () => {
    const paths = ['', '/post-send', '/get-nothing', '/events', '/events/tidings.message-history.v1'];
    expect(await pages.faultsOf(paths.map((path) => `/docs${path}`))).toEqual([]);
    expect(await pages.faultsOf(['/api-reference/put-lists-list_id'])).toEqual([]);
  });
});
