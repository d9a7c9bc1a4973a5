import { itWith } from '@tidings/testing/installed-tools';
import { OidcServer } from '@tidings/testing/oidc-server';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient } from './testing/api-client';
import { HeadlessBrowser, type WatchedPage } from './testing/browser';
import { expectShown, expectText } from './testing/console-expectations';
import { ENVIRONMENT } from './testing/shared-system';
import { System } from './testing/system';

/** What a page shows within, although the machine is busy. */
const WITHIN_MS = 30_000;
const SECRET = 'the code of the safe is 1234';

const itShows = itWith(HeadlessBrowser);
let issuer: OidcServer;
let system: System;
let browser: HeadlessBrowser;

beforeAll(async () => {
  if (HeadlessBrowser.missing() !== undefined) return;
  issuer = await OidcServer.start('localhost'); // for browsers another site than the console
  system = await System.start({
    topology: 'standalone',
    environment: {
      ...ENVIRONMENT,
      TIDINGS_PUBLIC_URL: '',
      TIDINGS_CONSOLE_OIDC_ISSUER: issuer.issuer,
      TIDINGS_CONSOLE_OIDC_CLIENT_ID: issuer.clientId,
      TIDINGS_CONSOLE_OIDC_CLIENT_SECRET: issuer.clientSecret,
      TIDINGS_CONSOLE_OIDC_SCOPES: issuer.scopes,
      TIDINGS_CONSOLE_OIDC_ROLES: 'ops=admin,helpdesk=support,lost=viewer@nowhere',
      TIDINGS_CONSOLE_OIDC_LABEL: 'Acme',
    },
  });
  issuer.register(`${system.url}/console/api/oidc/callback`);
  browser = await HeadlessBrowser.start();
});
afterAll(async () => {
  await browser?.close();
  await system?.stop();
  await issuer?.close();
});

/** A page at `path` of the console, signed out. */
async function open(path: string, options = {}): Promise<WatchedPage> {
  const watched = await browser.open(options);
  watched.page.setDefaultTimeout(WITHIN_MS);
  await watched.page.goto(`${system.url}/console${path}`);
  return watched;
}
const signIn = ({ page }: WatchedPage): Promise<void> => page.getByRole('button', { name: 'Sign in with Acme' }).click();

/** The cookie and the token of a page's session, for requests. */
async function headersOf({ page }: WatchedPage): Promise<Record<string, string>> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const client = new ApiClient(system.url);
  const { body } = await client.request<{ session: { csrf: string } }>('GET', '/console/api/session', { headers: { cookie } });
  return { cookie, 'x-tidings-csrf': body.session.csrf };
}

itShows('signs in at the issuer, shows the address that was opened, and names the person in audit events', async () => {
  issuer.user = { sub: 'u-ada', name: 'Ada Lovelace', groups: ['ops'] };
  const watched = await open('/messages?status=DELIVERED');
  const { page } = watched;

  await signIn(watched);

  await expectShown(page.getByRole('heading', { level: 1, name: 'Messages' }));
  expect(page.url()).toBe(`${system.url}/console/messages?status=DELIVERED`);
  await page.reload();
  await expectShown(page.getByRole('button', { name: 'Sign out' }));
  const headers = await headersOf(watched);
  const client = new ApiClient(system.url);
  expect((await client.request('PUT', '/lists/readers', { headers, body: { name: 'Readers' } })).status).toBeLessThan(300);
  const issue = await client.request('POST', '/auth/issue-token', {
    headers,
    body: { scope: 'user_id:a read:messages', expires_in: '1h' },
  });
  expect(issue.status).toBe(403);
  const actor = expect.objectContaining({ id: 'u-ada', type: 'person', name: 'Ada Lovelace' }) as object;
  await waitUntil(
    async () => {
      const { body } = await client.request<{ results: { type: string; actor: object }[] }>('GET', '/audit-events', { headers });
      const changes = body.results.filter(({ type }) => type === 'list:replaced');
      if (changes.length === 0) return false;
      expect(changes).toEqual([expect.objectContaining({ actor })]);
      return true;
    },
    { what: 'the audit event' },
  );
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectShown(page.getByRole('button', { name: 'Sign in with Acme' }));
  expect((await client.request('GET', '/lists', { headers })).status).toBe(401);
  expect(watched.errors).toEqual([]);
  expect(system.output).not.toContain(issuer.clientSecret);
  await watched.close();
});

itShows('support sees why a message did not arrive, and not what it says', async () => {
  issuer.user = { sub: 'u-bob', name: 'Bob', groups: ['helpdesk'] };
  const message = {
    to: { email: 'bob@example.com', data_of_profile: SECRET },
    content: { title: SECRET, body: SECRET },
    data: { code: SECRET },
  };
  const { body } = await system.client.request<{ requestId: string }>('POST', '/send', { body: { message } });
  await system.client.messageOnce('DELIVERED', body.requestId);
  const watched = await open(`/messages/${body.requestId}`);
  const { page } = watched;

  await signIn(watched);

  await expectText(page.getByRole('region', { name: 'Explain' }), /Delivered/i);
  await expectText(page.getByRole('list', { name: 'Timeline' }), /ENQUEUED/);
  await expectShown(page.getByText('lacks the scope read:messages'));
  await expectShown(page.getByText('You are Bob, with the role support.'));
  expect(await page.content()).not.toContain(SECRET);
  const headers = await headersOf(watched);
  const client = new ApiClient(system.url);
  const path = `/messages/${body.requestId}`;
  for (const part of ['', '/history']) {
    const answer = await client.request('GET', path + part, { headers });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.not.stringContaining(SECRET)]);
  }
  const explained = await client.request('GET', `/console/api${path}/explain`, { headers });
  expect([explained.status, JSON.stringify(explained.body)]).toEqual([200, expect.not.stringContaining(SECRET)]);
  for (const part of ['/output', '/output/5/html', '/output/1/text'])
    expect((await client.request('GET', path + part, { headers })).status).toBe(403);
  expect((await client.request('POST', '/send', { headers, body: { message } })).status).toBe(403);
  expect(watched.errors).toEqual([]);
  await watched.close();
});

itShows('says plainly why someone was not signed in', async () => {
  const refusals: [string[], boolean, RegExp][] = [
    [['staff'], false, /None of your groups/],
    [['lost'], false, /workspace of your role does not exist/],
    [['ops'], true, /you were refused/],
  ];
  for (const [groups, denies, text] of refusals) {
    issuer.user = { sub: 'u-eve', name: 'Eve', groups };
    issuer.denies = denies;
    const watched = await open('/users');
    await signIn(watched);
    await expectText(watched.page.getByRole('alert'), text);
    expect([watched.page.url(), watched.errors]).toEqual([`${system.url}/console/users`, []]);
    await watched.close();
  }
  issuer.denies = false;
});

itShows('its sign-in has no violations, in both schemes and on a phone', async () => {
  for (const colorScheme of ['light', 'dark'])
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 320, height: 800 },
    ]) {
      const watched = await open('/users#refused=group', { colorScheme, viewport });
      await expectShown(watched.page.getByRole('button', { name: 'Sign in with Acme' }));
      await expectShown(watched.page.getByRole('alert'));
      expect([...(await watched.violations()), ...watched.errors, await watched.overflow()]).toEqual([0]);
      await watched.close();
    }
});
