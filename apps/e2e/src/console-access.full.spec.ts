import { randomUUID } from 'node:crypto';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { itWith } from '@tidings/testing/installed-tools';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Locator, Page } from 'playwright-core';
import { ApiClient } from './testing/api-client';
import { HeadlessBrowser } from './testing/browser';
import { expectCount, expectShown, expectText } from './testing/console-expectations';
import { ConsolePages } from './testing/console-pages';
import type { SharedSystem } from './testing/shared-system';

const itShows = itWith(HeadlessBrowser);
let system: SharedSystem;
const pages = ConsolePages.use((joined) => (system = joined));

const rowsOf = (page: Page, table: string): Locator => page.getByRole('table', { name: table }).locator('tbody').getByRole('row');
const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

async function createKey(key: object): Promise<{ key: string; key_id: string }> {
  const { status, body } = await system.client.request<{ key: string; key_id: string }>('POST', '/console/api/keys', { body: key });
  expect(status).toBe(201);
  return body;
}

describe('API keys', () => {
  itShows('are made with chosen scopes and shown once, rotated, and revoked after a confirmation', async () => {
    const { page, errors } = await pages.signedIn('/api-keys');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const making = dialogOf(page, 'Make an API key');
    await making.getByLabel('Name').fill('Reader');
    await making.getByLabel('Everything that the key of this session may do').uncheck();
    await making.getByLabel('read:messages', { exact: true }).check();
    await making.getByRole('button', { name: 'Make the key' }).click();
    const shown = making.getByRole('group', { name: 'API key' });
    await expectText(shown, /^pk_prod_/);
    const reader = new ApiClient(system.url, await shown.innerText());
    expect((await reader.get('/messages')).status).toBe(200);
    expect((await reader.get('/brands')).status).toBe(403);
    await making.getByRole('button', { name: 'Close' }).click();
    expect(await page.content()).not.toContain('pk_prod_');

    await expectText(rowsOf(page, 'API keys').first(), /Reader[^]*production[^]*read:messages[^]*active/);
    await page.getByRole('link', { name: 'Reader' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Reader' }));
    await page.getByRole('button', { name: 'Rotate' }).click();
    const rotating = dialogOf(page, 'Rotate API key');
    await rotating.getByLabel('The old key stays valid for').selectOption('1 hour');
    await rotating.getByRole('button', { name: 'Confirm rotation' }).click();
    const next = new ApiClient(system.url, await rotating.getByRole('group', { name: 'API key' }).innerText());
    await rotating.getByRole('link', { name: 'Its page' }).click();
    await rotating.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Revoke' }).click();
    const revoking = dialogOf(page, 'Revoke API key');
    await expectText(revoking, /Reader/);
    expect(await revoking.getByText('You are signed in with it').count()).toBe(0);
    expect((await next.get('/messages')).status).toBe(200);
    await revoking.getByRole('button', { name: 'Confirm revocation' }).click();
    await expectText(page.getByRole('main'), /revoked/);
    await page.goto(pages.address('/api-keys'));
    await expectText(rowsOf(page, 'API keys').nth(0), /Reader[^]*revoked/);
    await expectText(rowsOf(page, 'API keys').nth(1), /Reader[^]*ending/);
    expect(errors).toEqual([]);
  });

  itShows('give their maker no more than it has: what a key may not do is disabled, with the scope named', async () => {
    const made = await createKey({ mode: 'production', name: 'Key reader', scopes: ['read:api-keys', 'read:audit-events'] });
    const wider = await new ApiClient(system.url, made.key).request('POST', '/console/api/keys', { body: { mode: 'production' } });
    expect(wider.status).toBe(403);
    const { page } = await pages.signedIn(`/api-keys/${made.key_id}`, { key: made.key });
    for (const name of ['Rotate', 'Revoke']) {
      const button = page.getByRole('button', { name });
      await expectShown(button);
      expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([true, expect.stringContaining('write:api-keys')]);
    }
    await expectText(page.getByRole('main'), /Last used/);
  });
});

describe('Audit log', () => {
  itShows('says who did what, filtered by an address, and leads to the event and to what was changed', async () => {
    const { key_id: id } = await createKey({ mode: 'test', name: 'Audited' });
    const { page, errors } = await pages.signedIn('/audit-log');
    await page.getByRole('button', { name: /About/ }).click();
    await page.getByRole('option', { name: 'api-key' }).click();
    await page.waitForURL(/type=api-key/);
    await page.getByText('More filters').click();
    await page.getByLabel('On what: its id').fill(id);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/target=/);
    await page.reload();
    await expectText(rowsOf(page, 'Audit log'), /api-key:created[^]*API key journey[^]*scopes/);
    await expectCount(rowsOf(page, 'Audit log'), 1);

    await page.getByRole('link', { name: 'api-key:created' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'api-key:created' }));
    await expectText(page.getByRole('main'), /identity\.keys\.create/);
    await page.getByRole('link', { name: id }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Audited' }));
    expect(errors).toEqual([]);
  });

  itShows('leads to the page of what was changed, also of a topic whose section the event does not name', async () => {
    const request = async <Answer = { id: string }>(method: string, path: string, body?: object): Promise<Answer> =>
      (await system.client.request<Answer>(method, path, { body })).body;
    await request('PUT', '/lists/audited', { name: 'Audited list' });
    const section = await request('POST', '/preferences/sections', { name: 'News' });
    const body = { name: 'Audited topic', default_status: 'OPTED_IN' };
    const topic = await request('POST', `/preferences/sections/${section.id}/topics`, body);
    const eventsOf = async (target: string): Promise<object[]> =>
      (await request<{ results: object[] }>('GET', `/audit-events?target=${target}`)).results;
    for (const target of [topic.id, 'audited'])
      await waitUntil(async () => (await eventsOf(target)).length === 1, { what: `the event of ${target}` });
    const { page, errors } = await pages.signedIn(`/audit-log?target=${topic.id}`);
    await page.getByRole('link', { name: topic.id, exact: true }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Audited topic' }));
    await expectShown(page.getByRole('main').getByRole('link', { name: 'News' }));
    await page.goto(pages.address('/audit-log?target=audited'));
    await page.getByRole('link', { name: 'audited', exact: true }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'audited' }));
    expect(errors).toEqual([]);
  });
});

describe('Suppressions', () => {
  itShows('are found by address, say why and by which message, are added, and removed after a confirmation', async () => {
    const bounced = `bounced-${randomUUID()}@example.com`;
    system.smtp.treat(bounced, { refuse: true });
    const message = await system.client.send(bounced);
    await system.client.messageOnce('UNDELIVERABLE', message);
    const { page, errors } = await pages.signedIn('/suppressions');
    await page.getByRole('searchbox', { name: 'Search suppressions' }).fill(bounced.toUpperCase());
    await page.keyboard.press('Enter');
    await page.waitForURL(/address=/);
    await expectText(rowsOf(page, 'Suppressions'), new RegExp(`hard_bounce[^]*smtp[^]*${message}`));
    await page.getByRole('link', { name: bounced }).click();
    await expectText(page.getByRole('main'), /The address does not exist/);
    await expectShown(page.getByRole('link', { name: message }));

    const address = `complaining-${randomUUID()}@example.com`;
    await page.goto(pages.address('/suppressions'));
    await page.getByRole('button', { name: 'Suppress an address' }).click();
    const adding = dialogOf(page, 'Suppress an address');
    await adding.getByLabel('Address').fill(address);
    await adding.getByLabel('Reason').selectOption('complaint');
    await adding.getByRole('button', { name: 'Suppress' }).click();
    await expectText(page.getByRole('main'), /reported a message as spam[^]*a client/);
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialogOf(page, 'Remove suppression').getByRole('button', { name: 'Confirm removal' }).click();
    await expectText(page.getByRole('status'), /sent to this address again/);
    await expectText(page.getByRole('main'), /No suppressed address matches/);
    const { body } = await system.client.get<{ results: object[] }>(`/suppressions?address=${address}`);
    expect(body.results).toEqual([]);
    expect(errors).toEqual([]);
  });
});

describe('Webhooks', () => {
  let receiver: CapturingHttp;
  beforeAll(async () => (receiver = await CapturingHttp.start()));
  afterAll(() => receiver.stop());

  itShows('are created with a secret that is shown once, tested, watched, repeated, paused and removed', async () => {
    const { page, errors } = await pages.signedIn('/webhooks');
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    const creating = dialogOf(page, 'Create a webhook');
    await creating.getByLabel('URL of the receiver').fill(receiver.url);
    await creating.getByLabel('Description').fill('Order service');
    await creating.getByRole('button', { name: 'Create', exact: true }).click();
    await expectText(creating.getByRole('group', { name: 'Secret' }), /^whsec_/);
    await creating.getByRole('button', { name: 'Close' }).click();
    await rowsOf(page, 'Webhooks').filter({ hasText: 'Order service' }).getByRole('link').click();
    await expectShown(page.getByRole('heading', { level: 1, name: receiver.url }));

    await page.getByRole('button', { name: 'Test' }).click();
    await expectText(page.getByRole('status'), /accepted 200/);
    const message = await system.client.send('hooked@example.com');
    await system.client.messageOnce('DELIVERED', message);
    await page.goto(`${page.url()}?message=${message}&result=delivered`);
    const row = rowsOf(page, 'Deliveries').filter({ hasText: 'DELIVERED' });
    await expectText(row, /200/);
    const posted = (): number => receiver.received.filter(({ body }) => body.includes(message) && body.includes('"DELIVERED"')).length;
    expect(posted()).toBe(1);
    await row.getByRole('button', { name: /^Retry DELIVERED/ }).click();
    await expectText(page.getByRole('status'), /posted again/);
    await waitUntil(() => posted() === 2, { what: 'the repetition' });

    await page.getByRole('button', { name: 'Pause' }).click();
    await expectShown(page.getByRole('button', { name: 'Resume' }));
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialogOf(page, 'Remove webhook').getByRole('button', { name: 'Confirm removal' }).click();
    await page.waitForURL((url) => url.pathname === '/console/webhooks');
    await expectText(page.getByRole('main'), /No webhooks/);
    expect(errors).toEqual([]);
  });
});

describe('Workspaces', () => {
  itShows('are created by an operator, who makes their keys, limits them and revokes keys', async () => {
    const name = `made-${randomUUID()}`;
    const { page, errors } = await pages.signedIn('/workspaces', { key: system.adminKey });
    await expectText(page.getByRole('table', { name: 'Workspaces' }), /journey-/);
    await page.getByRole('button', { name: 'Create a workspace' }).click();
    const creating = dialogOf(page, 'Create a workspace');
    await creating.getByLabel('Name').fill(name);
    await creating.getByLabel('E-mail address of the account').fill('ops@example.com');
    await creating.getByRole('button', { name: 'Create', exact: true }).click();
    await expectShown(page.getByRole('heading', { level: 1, name }));

    await page.getByRole('button', { name: 'Make a key' }).click();
    const making = dialogOf(page, 'Make an API key');
    await making.getByLabel('Name').fill('First');
    await making.getByRole('button', { name: 'Make the key' }).click();
    const client = new ApiClient(system.url, await making.getByRole('group', { name: 'API key' }).innerText());
    const { body } = await client.get<{ workspace: { name: string } }>('/console/api/whoami');
    expect(body.workspace.name).toBe(name);
    await making.getByRole('button', { name: 'Close' }).click();

    const limits = page.getByRole('region', { name: 'Limits' });
    await limits.getByLabel('Requests').fill('70/m');
    await limits.getByLabel('Lists').fill('5');
    await limits.getByRole('button', { name: 'Save the limits' }).click();
    await expectText(limits, /Saved\./);
    await expectText(limits, /Rate in effect: 70\/m/);

    await page.getByRole('link', { name: 'First' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialogOf(page, 'Revoke API key').getByRole('button', { name: 'Confirm revocation' }).click();
    await expectText(page.getByRole('main'), /revoked/);
    await page.goto(pages.address(`/workspaces?name=${name}`));
    await expectCount(rowsOf(page, 'Workspaces'), 1);
    expect(errors).toEqual([]);
  });

  itShows('are for operators: an API key sees which key it takes', async () => {
    const { page, errors } = await pages.signedIn('/workspaces');
    await expectText(page.getByRole('main'), /TIDINGS_ADMIN_KEY/);
    expect(errors).toEqual([]);
  });
});

describe('Each page', () => {
  itShows('has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host, in both schemes', async () => {
    const { key_id: keyId } = await createKey({ mode: 'test', name: 'Accessible', scopes: ['read:messages'], recipients: ['ada'] });
    await system.client.request('PUT', '/suppressions/email/accessible@example.com', { body: { reason: 'hard_bounce' } });
    const { body: webhook } = await system.client.request<{ id: string }>('POST', '/webhooks', {
      body: { url: 'https://example.com/hook' },
    });
    const { body: events } = await system.client.get<{ results: { auditEventId: string }[] }>('/audit-events');
    const access = ['/api-keys', `/api-keys/${keyId}`];
    const audit = ['/audit-log', `/audit-log/${events.results[0]!.auditEventId}`];
    const suppressed = ['/suppressions', '/suppressions?address=none@example.com', '/suppressions/email/accessible@example.com'];
    const webhooks = ['/webhooks', `/webhooks/${webhook.id}`];
    expect(await pages.faultsOf([...access, ...audit, ...suppressed, ...webhooks, '/workspaces'])).toEqual([]);
  });

  itShows('of operators has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host', async () => {
    const { workspaceId } = system;
    const { body } = await new ApiClient(system.url, system.adminKey).get<{ results: { key_id: string }[] }>(
      `/admin/workspaces/${workspaceId}/keys`,
    );
    const ofWorkspace = [`/workspaces/${workspaceId}`, `/workspaces/${workspaceId}/keys/${body.results[0]!.key_id}`];
    expect(await pages.faultsOf(['/workspaces', ...ofWorkspace], system.adminKey)).toEqual([]);
  });

  itShows('has dialogs without a violation of WCAG 2.2 AA, which fit a phone', async () => {
    const watched = await pages.signedIn('/api-keys', { colorScheme: 'dark', viewport: { width: 320, height: 800 } });
    for (const [path, opener] of [
      ['/api-keys', 'Make a key'],
      ['/suppressions', 'Suppress an address'],
      ['/webhooks', 'Create a webhook'],
    ] as const) {
      await watched.page.goto(pages.address(path));
      await watched.page.getByRole('button', { name: opener }).click();
      await watched.page.getByRole('dialog').waitFor();
      expect([path, await watched.violations(), await watched.overflow()]).toEqual([path, [], 0]);
    }
  });
});
