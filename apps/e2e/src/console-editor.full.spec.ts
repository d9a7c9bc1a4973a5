import { randomUUID } from 'node:crypto';
import { itWith } from '@tidings/testing/installed-tools';
import type { Page } from 'playwright-core';
import { ApiClient } from './testing/api-client';
import { HeadlessBrowser } from './testing/browser';
import { expectShown, expectText } from './testing/console-expectations';
import { ConsolePages } from './testing/console-pages';
import type { SharedSystem } from './testing/shared-system';

const itShows = itWith(HeadlessBrowser);
let system: SharedSystem;
const pages = ConsolePages.use((joined) => (system = joined));

const contentOf = (content: string, more: object = {}): object => ({
  version: '2022-01-01',
  elements: [
    {
      type: 'channel',
      channel: 'email',
      elements: [
        { type: 'meta', title: 'Hi' },
        { type: 'text', content, ...more },
      ],
    },
  ],
});

async function createTemplate(content: object, state = 'DRAFT'): Promise<string> {
  const body = { notification: { name: `Edited ${randomUUID()}`, content }, state };
  const created = await system.client.request<{ id: string }>('POST', '/notifications', { body });
  expect(created.status).toBe(201);
  return created.body.id;
}

const storedContent = async (id: string, version: string): Promise<unknown> =>
  (await system.client.request<{ content?: object }>('GET', `/notifications/${id}?version=${version}`)).body.content;

const CONTENT = 'Content in Elemental, as JSON';
const BODY = 'Body of POST /send, as JSON';
const editorOf = (page: Page, name = CONTENT) => page.getByRole('textbox', { name });

/** Replaces the text of an editor. */
async function write(page: Page, text: string, name?: string): Promise<void> {
  await editorOf(page, name).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

describe('The editor of templates', () => {
  itShows('creates a draft, previews what is not saved, has remarks at their lines, saves, publishes, and sends a test', async () => {
    const name = `Welcome ${randomUUID()}`;
    const { page, errors } = await pages.signedIn('/templates');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create draft' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: `Edit ${name}` }));
    const id = new URL(page.url()).pathname.split('/').at(-2)!;

    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByLabel('Sample data').fill('{"order": "A-17"}');
    const marked = JSON.stringify(contentOf('Order {order}', { align: 'middle' }), null, 2);
    const line = `Line ${marked.split('\n').findIndex((one) => one.includes('align')) + 1}`;
    await write(page, marked);
    const mail = page.frameLocator('iframe[title="Rendered output"]');
    await expectShown(mail.getByText('Order A-17'));
    const remarks = page.getByRole('list', { name: 'Remarks on the text' });
    await expectText(remarks, new RegExp(`Warning\\s+${line}\\s+content\\.elements\\[0\\]\\.elements\\[1\\]\\.align is none of`));
    await remarks.getByRole('button', { name: line }).click();
    await expectText(page.locator('.cm-activeLine'), /"align": "middle"/);
    await expectShown(page.locator('.cm-lint-marker-warning'));

    await write(page, '{"version": "2022-01-01",\n"elements": [}');
    await expectText(remarks, /Error\s+Line 2/);
    expect(await page.getByRole('button', { name: 'Save draft' }).isDisabled()).toBe(true);
    await expectShown(mail.getByText('Order A-17'));

    const content = contentOf('Order {order}');
    await write(page, JSON.stringify(content, null, 2));
    await page.getByRole('button', { name: 'Save draft' }).click();
    await expectText(page.getByRole('status'), /The draft is saved/);
    expect(await storedContent(id, 'draft')).toEqual(content);
    await page.getByRole('button', { name: 'Publish' }).click();
    await expectText(page.getByRole('status'), /Published as v001/);
    expect(await storedContent(id, 'published')).toEqual(content);

    await page.getByRole('button', { name: 'Test send' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test send' });
    await expectText(dialog, /The published version is sent/);
    await dialog.getByLabel(/E-mail address/).fill(`${randomUUID()}@example.com`);
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByRole('link').click();
    await page.waitForURL(/messages\/1-/);
    await expectText(page.getByRole('list', { name: 'Timeline' }), /DELIVERED/);
    await expectShown(mail.getByText('Order A-17'));
    expect(errors).toEqual([]);
  });

  itShows('asks before unsaved changes are lost, and shows both versions where another writer was faster', async () => {
    const id = await createTemplate(contentOf('first'));
    const watched = await pages.signedIn(`/templates/${id}/edit`);
    const { page } = watched;
    await editorOf(page).waitFor();
    await system.client.request('PUT', `/notifications/${id}/content`, { body: { content: contentOf('theirs') } });
    await write(page, JSON.stringify(contentOf('mine'), null, 2));

    await page.getByRole('link', { name: 'Overview' }).click();
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leave.getByRole('button', { name: 'Close' }).click();
    await expectText(editorOf(page), /mine/);

    await page.getByRole('button', { name: 'Save draft' }).click();
    const conflict = page.getByRole('dialog', { name: /changed meanwhile/ });
    await expectText(conflict.getByRole('deletion'), /"content": "theirs"/);
    await expectText(conflict.getByRole('insertion'), /"content": "mine"/);
    await conflict.getByRole('button', { name: 'Save mine over it' }).click();
    await conflict.waitFor({ state: 'hidden' });
    await expectText(page.getByRole('status'), /The draft is saved/);
    expect(await storedContent(id, 'draft')).toEqual(contentOf('mine'));

    await write(page, JSON.stringify(contentOf('lost'), null, 2));
    await page.getByRole('link', { name: 'Overview' }).click();
    await leave.getByRole('button', { name: 'Leave' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Overview' }));
    // The browser names the answer of 409 in its console.
    expect(watched.errors.filter((one) => !one.includes('409'))).toEqual([]);
  });

  itShows('has the texts in a language, and a template’s versions are compared line by line', async () => {
    const id = await createTemplate(contentOf('Hello'), 'PUBLISHED');
    const { page, errors } = await pages.signedIn(`/templates/${id}/edit?language=fr`);
    await page.getByRole('textbox', { name: 'Hello (fr)' }).fill('Bonjour');
    await page.getByRole('button', { name: 'Save the language' }).click();
    await expectText(editorOf(page), /"fr"/);
    expect(await storedContent(id, 'draft')).toMatchObject(contentOf('Hello', { locales: { fr: { content: 'Bonjour' } } }));

    await page.getByRole('link', { name: 'Versions and facts' }).click();
    await page.getByRole('row').filter({ hasText: 'v001' }).getByRole('link', { name: 'Compare' }).click();
    const differences = page.getByRole('region', { name: 'Differences' });
    await expectText(differences, /From v001 .* to draft[^]*Bonjour/);
    await expectText(differences.getByRole('insertion'), /"content": "Bonjour"/);
    expect(new URL(page.url()).search).toContain('against=v001');
    expect(errors).toEqual([]);
  });
});

describe('What if', () => {
  const runs = (page: Page) => page.getByRole('button', { name: 'Show what would happen' }).click();

  itShows('shows for each recipient of a send what would happen, and sends it after a confirmation', async () => {
    const user = `u-${randomUUID()}`;
    await system.client.request('PUT', `/profiles/${user}`, { body: { profile: { email: `${user}@example.com` } } });
    const { page, errors } = await pages.signedIn('/what-if');
    await expectText(page.getByRole('main'), /TIDINGS_API_KEY/);
    const content = { title: 'Shipped', body: 'Order {order}' };
    const to = [{ user_id: user }, { user_id: 'without-a-profile' }];
    await write(page, JSON.stringify({ message: { to, content, data: { order: 'A-17' } } }), BODY);
    await runs(page);

    const table = page.getByRole('table', { name: 'Recipients' });
    await expectText(table, new RegExp(`Would be sent to user ${user} by smtp on email`));
    await expectText(page.getByRole('table', { name: 'Routes' }), /smtp\s+now/);
    await expectShown(page.frameLocator('iframe[title="Rendered output"]').getByText('Order A-17'));
    await table.getByRole('link', { name: 'without-a-profile' }).click();
    await expectText(page.getByRole('region', { name: 'For without-a-profile' }), /Not sent: .*profile\.email/);
    expect(new URL(page.url()).search).toBe('?recipient=2');
    const before = await system.client.request<{ results: unknown[] }>('GET', `/messages?recipient=${user}`);
    expect(before.body.results).toEqual([]);

    await write(page, JSON.stringify({ message: { to: to[0], content, data: { order: 'A-17' } } }), BODY);
    expect(await page.getByRole('button', { name: 'Send it' }).isDisabled()).toBe(true);
    await runs(page);
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByRole('dialog', { name: 'Send it now?' }).getByRole('button', { name: 'Confirm send' }).click();
    await page.waitForURL(/messages\/1-/);
    await expectText(page.getByRole('list', { name: 'Timeline' }), /DELIVERED/);

    const id = page.url().split('/').at(-1)!;
    await page.getByRole('link', { name: 'What if' }).last().click();
    await page.waitForURL((url) => url.search === `?message=${id}`);
    await expectText(table, new RegExp(`Would be sent to user ${user}`));
    await expectShown(page.frameLocator('iframe[title="Rendered output"]').getByText('Order A-17'));
    expect(errors).toEqual([]);
  });

  itShows('has the refusal of a send at its line, and names the scope that a key lacks', async () => {
    const watched = await pages.signedIn('/what-if');
    await write(watched.page, '{"message": {\n"to": [],\n"content": {"title": "a", "body": "b"}}}', BODY);
    await runs(watched.page);
    await expectText(watched.page.getByRole('list', { name: 'Remarks on the text' }), /Error\s+Line 2\s+message\.to must name/);

    const body = { mode: 'production', name: 'sender', scopes: ['write:send'] };
    const operator = new ApiClient(system.url, system.adminKey);
    const { key } = (await operator.request<{ key: string }>('POST', `/admin/workspaces/${system.workspaceId}/keys`, { body })).body;
    const { page } = await pages.signedIn('/what-if', { key });
    const run = page.getByRole('button', { name: 'Show what would happen' });
    await expectShown(run);
    expect([await run.isDisabled(), await run.getAttribute('title')]).toEqual([true, expect.stringContaining('read:dry-runs')]);
  });
});

describe('Compare', () => {
  itShows('has a message beside the last of its template that arrived, with what differs', async () => {
    const template = await createTemplate(contentOf('Order {order}'), 'PUBLISHED');
    const send = async (to: object, order: string): Promise<string> => {
      const body = { message: { to, template, data: { order } } };
      return (await system.client.request<{ requestId: string }>('POST', '/send', { body })).body.requestId;
    };
    const arrived = await send({ email: `${randomUUID()}@example.com` }, 'A-1');
    await system.client.messageOnce('DELIVERED', arrived);
    const stuck = await send({ user_id: 'without-a-profile' }, 'A-2');
    await system.client.messageOnce('UNROUTABLE', stuck);

    const { page, errors } = await pages.signedIn(`/messages/${stuck}`);
    await page.getByRole('button', { name: 'Compare' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: `Compare ${stuck}` }));
    const part = (name: string) => page.getByRole('region', { name });
    await expectText(part('Data').getByRole('deletion'), /"order": "A-2"/);
    await expectText(part('Data').getByRole('insertion'), /"order": "A-1"/);
    await expectText(part('Record').getByRole('deletion'), /"status": "UNROUTABLE"/);
    await expectText(part('Decisions').getByRole('deletion'), /profile\.email/);
    await expectText(part('Output').getByRole('insertion'), /Order A-1/);

    expect(await page.getByLabel('With message').inputValue()).toBe(arrived);
    await page.getByLabel('With message').fill(stuck);
    await page.waitForURL((url) => url.search === `?with=${stuck}`);
    await expectText(part('Data'), /the same/);
    expect(errors).toEqual([]);
  });
});

describe('Each page', () => {
  itShows('has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host, in both schemes', async () => {
    const template = await createTemplate(contentOf('Hello {name}', { align: 'middle' }), 'PUBLISHED');
    await system.client.request('PUT', `/notifications/${template}/content`, { body: { content: contentOf('Hi') } });
    const ofTemplate = [`/templates/${template}/edit?language=fr`, `/templates/${template}?version=draft&against=v001`];
    const sent = await system.client.request<{ requestId: string }>('POST', '/send', {
      body: { message: { to: { email: 'ada@example.com' }, template, data: { name: 'Ada' } } },
    });
    const id = sent.body.requestId;
    const other = (
      await system.client.request<{ requestId: string }>('POST', '/send', {
        body: { message: { to: { user_id: 'without-a-profile' }, template } },
      })
    ).body.requestId;
    await system.client.messageOnce('UNROUTABLE', other);
    await system.client.messageOnce('DELIVERED', id);
    expect(await pages.faultsOf([...ofTemplate, '/what-if', `/what-if?message=${id}`, `/messages/${id}/compare?with=${other}`])).toEqual(
      [],
    );
  });
});
