import { randomUUID } from 'node:crypto';
import { BACKGROUND_HEADER } from '@tidings/contracts/core/session-names';
import { itWith } from '@tidings/testing/installed-tools';
import type { Request } from 'playwright-core';
import { expectCount, expectShown, expectText } from './testing/console-expectations';
import { HeadlessBrowser } from './testing/browser';
import { ConsolePages } from './testing/console-pages';
import type { SharedSystem } from './testing/shared-system';

const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
const IMAGE = 'https://tracker.example.com/pixel.gif';

const itShows = itWith(HeadlessBrowser);
let system: SharedSystem;
const pages = ConsolePages.use((joined) => (system = joined));

const idOfUser = (): string => `u-${randomUUID()}`;

async function send(message: object): Promise<string> {
  const { status, body } = await system.client.request<{ requestId: string }>('POST', '/send', { body: { message } });
  expect(status).toBe(202);
  return body.requestId;
}

const text = (title: string, body = 'It works'): object => ({ title, body });

async function storeProfile(userId: string, profile: object): Promise<void> {
  const { status } = await system.client.request('PUT', `/profiles/${userId}`, { body: { profile } });
  expect(status).toBe(200);
}

describe('The sign-in', () => {
  itShows('refuses a wrong key in words, leads to the opened address with a right one, and ends the session', async () => {
    const { page } = await pages.open('/messages?status=UNROUTABLE');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectText(page.getByRole('alert'), /API key/);
    await page.getByLabel('API key').fill('pk_prod_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectText(page.getByRole('alert'), /API key is not valid/);

    await page.getByLabel('API key').fill(system.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Messages' }));
    expect(new URL(page.url()).search).toBe('?status=UNROUTABLE');
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(`${String(stored)} ${await page.content()}`).not.toContain(system.key);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectShown(page.getByLabel('API key'));
    await page.reload();
    await expectShown(page.getByLabel('API key'));
  });

  itShows('refuses a code that was used, and takes it out of the address', async () => {
    const { page } = await pages.open('/messages#code=used');
    await expectText(page.getByRole('alert'), /link/);
    expect(page.url()).toBe(pages.address('/messages'));
  });

  itShows('appears again when the session ends meanwhile, at the same address', async () => {
    const { page } = await pages.signedIn('/users');
    await page.context().clearCookies();
    await page.getByLabel('Search users').fill('x');
    await page.keyboard.press('Enter');
    await expectShown(page.getByLabel('API key'));
    expect(new URL(page.url()).pathname).toBe('/console/users');
  });

  itShows('appears also where the page refreshes itself: without input, its requests are no use of the session', async () => {
    const { page } = await pages.signedIn('/messages');
    await page.clock.install();
    await page.reload();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Messages' }));
    const isRefresh = (request: Request, background: boolean): boolean =>
      new URL(request.url()).pathname === '/messages' && BACKGROUND_HEADER in request.headers() === background;

    const background = page.waitForRequest((request) => isRefresh(request, true));
    await page.clock.fastForward(61_000);
    await background;
    await page.mouse.move(100, 100);
    await page.waitForRequest((request) => isRefresh(request, false));
  });
});

describe('Messages', () => {
  itShows('shows a new one by itself, finds it by its recipient and its id, and has filters that survive a reload', async () => {
    const user = idOfUser();
    await storeProfile(user, { email: `${user}@example.com` });
    const { page } = await pages.signedIn('/messages');
    await expectShown(page.getByRole('heading', { level: 1, name: 'Messages' }));
    const id = await send({ to: { user_id: user }, content: text('Hello') });
    await expectShown(page.getByRole('table', { name: 'Messages' }).getByRole('link', { name: id }));

    for (const query of [user, `${user}@example.com`, id]) {
      await page.getByRole('searchbox', { name: 'Search messages' }).fill(query);
      await page.keyboard.press('Enter');
      await expectShown(page.getByRole('table', { name: 'Messages' }).getByRole('link', { name: id }));
      await expectCount(page.getByRole('table', { name: 'Messages' }).getByRole('row'), 2);
    }

    await page.goto(pages.address('/messages'));
    const unroutable = await send({ to: { user_id: idOfUser() }, content: text('Nowhere') });
    await page.getByRole('button', { name: /Status/ }).click();
    await page.getByRole('option', { name: 'UNROUTABLE' }).click();
    await page.waitForURL(/status=UNROUTABLE/);
    await page.reload();
    await expectShown(page.getByRole('link', { name: unroutable }));
    expect(await page.getByRole('link', { name: id }).count()).toBe(0);
  });

  itShows('is worked by keys: / searches, j goes down, ? explains, Ctrl K leads on', async () => {
    await send({ to: { email: 'keys@example.com' }, content: text('Keys') });
    const { page } = await pages.signedIn('/messages');
    await page.getByRole('row').nth(1).waitFor();
    await page.keyboard.press('j');
    await expectShown(page.locator('tbody tr').first().locator('a:focus'));
    await page.keyboard.press('/');
    await expectShown(page.locator('input[type=search]:focus'));
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    await expectShown(page.getByRole('dialog', { name: 'Keys' }));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('searchbox').fill('Users');
    await page.keyboard.press('Enter');
    await expectShown(page.getByRole('heading', { level: 1, name: 'Users' }));
  });
});

describe('A message', () => {
  itShows('explains itself, has its events in order and its mail in a frame, and is sent again', async () => {
    const user = idOfUser();
    await storeProfile(user, { email: `${user}@example.com` });
    const id = await send({ to: { user_id: user }, content: text('Shipped'), data: { order: 'A-17' } });
    await system.client.messageOnce('DELIVERED', id);
    const { page, errors } = await pages.signedIn(`/messages/${id}`);
    await expectShown(page.getByRole('heading', { level: 1, name: id }));
    const explain = page.getByRole('region', { name: 'Explain' });
    await expectShown(explain.getByRole('link', { name: new RegExp(user) }));
    const types = await page.getByRole('list', { name: 'Timeline' }).locator('> li strong').allTextContents();
    expect([types[0], types.at(-1)]).toEqual(['ENQUEUED', 'DELIVERED']);
    await expectShown(page.frameLocator('iframe[title="Rendered output"]').getByText('It works'));
    await expectText(page.getByRole('region', { name: 'Data' }), /A-17/);
    expect(errors).toEqual([]);

    await page.getByRole('button', { name: 'Resend' }).click();
    await page.getByRole('dialog', { name: 'Resend message' }).getByRole('button', { name: 'Confirm resend' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/console/messages/1-') && !url.pathname.endsWith(id));
    await expectText(page.getByRole('list', { name: 'Timeline' }), /DELIVERED/);
    await system.smtp.waitForMailsTo(`${user}@example.com`, 2);
  });

  itShows('that names a missing address says which field, and leads to its user', async () => {
    const user = idOfUser();
    await storeProfile(user, { name: 'Ada' });
    const id = await send({ to: { user_id: user }, content: text('Nowhere'), routing: { method: 'single', channels: ['email'] } });
    await system.client.messageOnce('UNROUTABLE', id);
    const { page } = await pages.signedIn(`/messages/${id}`);
    await expectText(page.getByRole('region', { name: 'Explain' }), /profile\.email/);
    await page
      .getByRole('region', { name: 'Explain' })
      .getByRole('link', { name: new RegExp(user) })
      .first()
      .click();
    await expectShown(page.getByRole('heading', { level: 1, name: user }));
  });

  itShows('is canceled while it waits, and archived', async () => {
    const id = await send({ to: { email: 'later@example.com' }, content: text('Later'), delay: { duration: 3_600_000 } });
    await system.client.messageOnce('DELAYED', id);
    const { page } = await pages.signedIn(`/messages/${id}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expectText(page.getByRole('list', { name: 'Timeline' }), /CANCELED/);
    await page.getByRole('button', { name: 'Archive' }).click();
    await expectText(page.getByRole('status'), /hidden/);
    await page.goto(pages.address('/messages?recipient=later@example.com'));
    await expectText(page.getByRole('main'), /No message matches/);
  });

  itShows('runs no script, loads nothing of other hosts and shows texts as texts, whatever they have', async () => {
    const user = idOfUser();
    await storeProfile(user, { email: `${user}@example.com`, name: HOSTILE });
    const elements = [
      { type: 'meta', title: HOSTILE },
      { type: 'html', content: `${HOSTILE}<img src="${IMAGE}"><a href="javascript:alert(3)">x</a><p>Hostile mail</p>` },
    ];
    const id = await send({ to: { user_id: user }, content: { version: '2022-01-01', elements }, data: { text: HOSTILE } });
    await system.client.messageOnce('DELIVERED', id);
    const watched = await pages.signedIn(`/messages/${id}`);
    const { page, errors } = watched;
    await expectShown(page.frameLocator('iframe[title="Rendered output"]').getByText('Hostile mail'));
    await expectText(page.getByRole('region', { name: 'Profile used' }), /onerror/);
    await page.goto(pages.address(`/users?query=${user}`));
    await expectText(page.getByRole('table', { name: 'Users' }), /onerror/);
    expect(watched.hosts).toEqual([new URL(system.url).host]);
    expect(errors.filter((one) => !/sandboxed|Content Security Policy/.test(one))).toEqual([]);
  });
});

describe('A user', () => {
  itShows('is found by id and address; the profile is changed, the views have what is stored', async () => {
    const user = idOfUser();
    await storeProfile(user, { email: `${user}@example.com`, name: 'Ada' });
    await system.client.request('PUT', `/users/${user}/tenants/acme`, { body: { profile: { title: 'Engineer' } } });
    await system.client.request('POST', `/profiles/${user}/lists`, { body: { lists: [{ listId: 'team.readers' }] } });
    await system.client.request('PUT', `/users/${user}/tokens/t-${user}`, { body: { provider_key: 'firebase-fcm' } });
    const { page, errors } = await pages.signedIn('/users');
    for (const query of [user.slice(0, 20), `${user}@example.com`]) {
      await page.getByRole('searchbox', { name: 'Search users' }).fill(query);
      await page.keyboard.press('Enter');
      await expectShown(page.getByRole('table', { name: 'Users' }).getByRole('link', { name: user, exact: true }));
    }
    await page.getByRole('link', { name: user, exact: true }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: user }));

    await page.getByLabel('Profile as JSON').fill('{"name":');
    await page.getByRole('button', { name: 'Save the profile' }).click();
    await expectText(page.getByRole('alert'), /no JSON object/);
    await page.getByLabel('Profile as JSON').fill(`{"name":"Grace"}`);
    await page.getByRole('button', { name: 'Save the profile' }).click();
    await expectText(page.getByRole('status'), /Saved/);
    const { body } = await system.client.request<{ profile: object }>('GET', `/profiles/${user}`);
    expect(body.profile).toEqual({ name: 'Grace' });

    for (const [view, shown] of [
      ['Tokens', `t-${user}`],
      ['Lists', 'team.readers'],
      ['Tenants', 'Engineer'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Views of this user' }).getByRole('link', { name: view }).click();
      await expectText(page.getByRole('table', { name: view }), new RegExp(shown));
      expect(new URL(page.url()).search).toBe(`?view=${view.toLowerCase()}`);
    }
    await page.goto(pages.address(`/users/${idOfUser()}`));
    await expectText(page.getByRole('main'), /no profile/);
    expect(errors).toEqual([]);
  });
});

describe('The navigation', () => {
  itShows('is behind a button on a phone, and closes when a link is followed', async () => {
    const watched = await pages.signedIn('/messages', { viewport: { width: 320, height: 800 } });
    const { page } = watched;
    const link = page.getByRole('link', { name: 'Providers' });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await expectShown(link);
    expect([await watched.violations(), await watched.overflow()]).toEqual([[], 0]);
    await link.click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Providers' }));
    expect(await link.isVisible()).toBe(false);
  });
});

describe('Each page', () => {
  itShows('has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host, in both schemes', async () => {
    const user = idOfUser();
    await storeProfile(user, { email: `${user}@example.com`, name: 'Ada' });
    const id = await send({ to: { user_id: user }, content: text('Hello') });
    await system.client.messageOnce('DELIVERED', id);
    const paths = ['/overview', '/messages', '/messages?recipient=none', `/messages/${id}`, '/users', '/users?query=none-such'];
    const views = ['profile', 'messages', 'tokens', 'preferences', 'lists', 'tenants'].map((view) => `/users/${user}?view=${view}`);
    expect(await pages.faultsOf([...paths, ...views, '/nothing'])).toEqual([]);
  });
});
