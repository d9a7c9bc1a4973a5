import { randomUUID } from 'node:crypto';
import { profileChanged } from '@tidings/contracts/identity/events';
import { itWith } from '@tidings/testing/installed-tools';
import { ApiClient } from './testing/api-client';
import { HeadlessBrowser } from './testing/browser';
import { expectCount, expectShown, expectText } from './testing/console-expectations';
import { ConsolePages } from './testing/console-pages';
import type { SharedSystem } from './testing/shared-system';

declare const getComputedStyle: (element: never) => { color: string };

const itShows = itWith(HeadlessBrowser);
let system: SharedSystem;
const pages = ConsolePages.use((joined) => (system = joined));

describe('Templates', () => {
  const STYLED = '<p style="color: rgb(1, 2, 3)">Order {{order}} of {{profile.name}}</p>';

  /** A published template with a tag, whose draft differs. */
  const createTemplate = async (tag: string): Promise<string> => {
    const notification = (title: string) => ({
      name: `Shipped ${tag}`,
      tags: [tag],
      content: {
        version: '2022-01-01',
        elements: [
          {
            type: 'channel',
            channel: 'email',
            elements: [
              { type: 'meta', title },
              { type: 'html', content: STYLED },
            ],
          },
          { type: 'channel', channel: 'sms', elements: [{ type: 'text', content: 'Shipped: {{order}}' }] },
        ],
      },
    });
    const created = { notification: notification('Shipped'), state: 'PUBLISHED' };
    const { status, body } = await system.client.request<{ id: string }>('POST', '/notifications', { body: created });
    expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) as string })]);
    await system.client.request('PUT', `/notifications/${body.id}`, { body: { notification: notification('On its way') } });
    return body.id;
  };

  itShows('are found by a tag; one is previewed by channel with sample data, in each version', async () => {
    const tag = `tag-${randomUUID()}`;
    const id = await createTemplate(tag);
    const { page, errors } = await pages.signedIn('/templates');
    await page.getByRole('searchbox', { name: 'Search templates' }).fill(tag);
    await page.keyboard.press('Enter');
    await page
      .getByRole('table', { name: 'Templates' })
      .getByRole('link', { name: `Shipped ${tag}` })
      .click();
    await expectShown(page.getByRole('heading', { level: 1, name: `Shipped ${tag}` }));
    const preview = page.getByRole('region', { name: 'Preview' });

    await preview.getByLabel('Sample data').fill('{"order":');
    await expectText(preview.getByRole('alert'), /no JSON object/);
    await preview.getByLabel('Sample data').fill('{"order": "A-17"}');
    await preview.getByLabel('Sample profile').fill('{"name": "<Ada>"}');
    const mail = page.frameLocator('iframe[title="Rendered output"]').getByText('Order A-17 of <Ada>');
    await expectShown(mail);
    expect(await mail.first().evaluate((element) => getComputedStyle(element as never).color)).toBe('rgb(1, 2, 3)');
    await preview.getByRole('link', { name: 'sms' }).click();
    await expectText(preview, /Shipped: A-17/);

    await preview.getByRole('link', { name: 'email' }).click();
    await preview.getByRole('link', { name: 'Subject' }).click();
    await expectText(preview.getByRole('group', { name: 'Subject' }), /^Shipped$/);
    await page.getByRole('table', { name: 'Versions' }).getByRole('link', { name: 'draft' }).click();
    await expectText(preview.getByRole('group', { name: 'Subject' }), /^On its way$/);
    expect(await preview.getByLabel('Sample data').inputValue()).toBe('{"order": "A-17"}');
    expect(new URL(page.url()).search).toContain('version=draft');
    expect(new URL(page.url()).pathname).toBe(`/console/templates/${id}`);
    expect(errors).toEqual([]);
  });

  itShows('run no script and load nothing of other hosts, whatever they have', async () => {
    const hostile = '<img src="https://tracker.example.com/x.gif"><img src=x onerror="alert(1)"><script>alert(2)</script><p>Hostile</p>';
    const content = { version: '2022-01-01', elements: [{ type: 'html', content: hostile }] };
    const notification = { name: hostile.slice(0, 100), content };
    const { body } = await system.client.request<{ id: string }>('POST', '/notifications', { body: { notification } });
    const watched = await pages.signedIn(`/templates/${body.id}?channel=email`);
    await expectShown(watched.page.frameLocator('iframe[title="Rendered output"]').getByText('Hostile', { exact: true }));
    expect(watched.hosts).toEqual([new URL(system.url).host]);
    expect(watched.errors.filter((one) => !/sandboxed|Content Security Policy/.test(one))).toEqual([]);
  });
});

describe('Providers', () => {
  const operator = () => new ApiClient(system.url, system.adminKey);
  const change = async (verb: 'pause' | 'resume'): Promise<void> => {
    const path = `/admin/workspaces/${system.workspaceId}/providers/smtp/${verb}`;
    expect((await operator().request('POST', path, { body: {} })).status).toBe(200);
  };

  itShows('are listed with their state, tested, switched off and on; a pause names the operators’ command', async () => {
    const { page, errors } = await pages.signedIn('/providers');
    const link = page.getByRole('link', { name: 'smtp', exact: true });
    const row = page.getByRole('table', { name: 'Providers' }).getByRole('row').filter({ has: link });
    await expectText(row, /active/);
    await row.getByRole('button', { name: 'Test smtp', exact: true }).click();
    await expectText(row.getByRole('status'), /^✓ accepted/);
    await change('pause');
    await expectText(row, /paused/);

    await link.click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'smtp' }));
    await expectText(page.getByRole('region', { name: 'Pauses' }), /tidings providers resume smtp --workspace '/);
    await change('resume');
    await expectText(page.getByRole('region', { name: 'Pauses' }), /tidings providers pause prv_/);
    await expectText(page.getByRole('region', { name: 'Settings' }), /notifications@example\.com/);

    await page.getByRole('button', { name: 'Disable' }).click();
    await expectShown(page.getByRole('button', { name: 'Enable' }));
    const { body } = await system.client.request<{ results: { enabled: boolean }[] }>('GET', '/providers');
    expect(body.results.map(({ enabled }) => enabled)).toEqual([false]);
    await page.getByRole('button', { name: 'Enable' }).click();
    await expectShown(page.getByRole('button', { name: 'Disable' }));
    expect(errors).toEqual([]);
  });

  itShows('that a key may not change have disabled actions, which name the scope', async () => {
    const { body } = await operator().request<{ key: string }>('POST', `/admin/workspaces/${system.workspaceId}/keys`, {
      body: { mode: 'production', name: 'reader', scopes: ['read:providers', 'read:messages'] },
    });
    const { page } = await pages.signedIn('/providers/default', { key: body.key });
    const test = page.getByRole('button', { name: 'Test', exact: true });
    await expectShown(test);
    expect([await test.isDisabled(), await test.getAttribute('title')]).toEqual([true, expect.stringContaining('write:providers')]);
  });
});

describe('Dead letters', () => {
  /** Appends a profile without running number, which audience cannot order. */
  const appendBad = async (): Promise<string> => {
    const userId = `bad-${randomUUID()}`;
    const log = await system.openLog();
    await log.append(profileChanged, [{ id: randomUUID(), payload: { workspaceId: system.workspaceId, userId, profile: {} } }]);
    return userId;
  };

  itShows('are shown to an operator with error and record, put back, and discarded after a confirmation', async () => {
    const { topic } = profileChanged;
    const userId = await appendBad();
    const { page, errors } = await pages.signedIn(`/dead-letters?topic=${topic}`, { key: system.adminKey });
    const table = page.getByRole('table', { name: 'Dead letters' });
    await expectText(table, /no sequence number/);
    const id = await table.getByRole('row').nth(1).getByRole('link').first().innerText();
    await table.getByRole('link', { name: id }).click();

    await expectShown(page.getByRole('heading', { level: 1, name: id }));
    await expectText(page.getByRole('region', { name: 'Value' }), new RegExp(userId));
    await page.getByRole('button', { name: 'Redrive' }).click();
    await expectText(page.getByRole('status'), /Redriven/);

    // It fails again, and comes back as another dead letter.
    await page.getByRole('link', { name: 'Others of the topic' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    await table.getByRole('link', { name: id }).waitFor({ state: 'hidden' });
    await expectShown(table.getByRole('link', { name: new RegExp(`^${topic}:`) }));
    await page.getByRole('button', { name: 'Discard all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard all' });
    await expectCount(table.getByRole('row'), 2);
    await dialog.getByRole('button', { name: 'Confirm discard' }).click();
    await expectText(dialog.getByRole('status'), /^1 discarded\.$/);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expectText(page.getByRole('main'), /No dead letters wait/);
    expect(errors).toEqual([]);
  });

  itShows('are for operators: an API key sees which key it takes', async () => {
    const { page, errors } = await pages.signedIn('/dead-letters');
    await expectText(page.getByRole('main'), /TIDINGS_ADMIN_KEY/);
    expect(errors).toEqual([]);
  });
});

describe('Each page', () => {
  itShows('has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host, in both schemes', async () => {
    const content = { version: '2022-01-01', elements: [{ type: 'text', content: 'Hello {name}' }] };
    const notification = { name: 'Hello', content };
    const { body } = await system.client.request<{ id: string }>('POST', '/notifications', { body: { notification } });
    const templates = ['/templates', '/templates?query=none-such', `/templates/${body.id}`];
    const paths = [...templates, '/providers', '/providers/default', '/providers/none', '/dead-letters'];
    expect(await pages.faultsOf(paths)).toEqual([]);
  });

  itShows('of operators has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host', async () => {
    expect(await pages.faultsOf(['/dead-letters', '/overview'], system.adminKey)).toEqual([]);
  });
});
