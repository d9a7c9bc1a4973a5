import { insertMessages } from '@tidings/testing/many-messages';
import { Client } from 'pg';
import { HeadlessBrowser, type WatchedPage } from './testing/browser';
import { signIn } from './testing/console-pages';
import { report } from './testing/report';
import { System } from './testing/system';

jest.setTimeout(3_600_000);

const MESSAGES = 10_000_000;
/** Each screen is opened so often; the median counts. */
const ROUNDS = 5;
/** Until the first table of a screen. */
const MS_MAX = 1_000;

/** Screens, and how those with messages are filtered. */
const SCREENS = [
  '/messages',
  '/messages?status=UNDELIVERABLE',
  '/messages?status=CANCELED',
  '/messages?recipient=user-7',
  '/messages?tags=needle',
  '/messages?provider=smtp',
  '/messages?event=shipped&tenant_id=acme',
  '/overview?range=7d',
  '/users',
  '/users/user-7?tab=messages',
  '/lists',
  '/audiences',
  '/templates',
  '/brands',
  '/translations',
  '/preferences',
  '/providers',
  '/routing-strategies',
  '/suppressions',
  '/webhooks',
  '/bulk-jobs',
  '/api-keys',
  '/audit-log',
];

describe('the console of a workspace with 10 million messages', () => {
  let system: System;
  let browser: HeadlessBrowser;

  beforeAll(async () => {
    system = await System.start({ topology: 'standalone' });
    const { workspace } = (await system.client.get<{ workspace: { id: string } }>('/console/api/whoami')).body;
    const client = new Client({ connectionString: system.roleUrl('messaging') });
    await client.connect();
    const from = performance.now();
    await insertMessages(client, workspace.id, MESSAGES, Math.floor(Date.now() / 1_000));
    await client.end();
    report(`${MESSAGES} messages inserted in ${Math.round((performance.now() - from) / 1_000)} s`);
    browser = await HeadlessBrowser.start();
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  it('shows each screen within a second', async () => {
    const watched = await browser.open();
    await watched.page.goto(`${system.url}/console/messages`);
    await signIn(watched, system.key);
    const times = new Map<string, number[]>(SCREENS.map((screen) => [screen, []]));
    for (let round = 0; round < ROUNDS; round++)
      for (const screen of SCREENS) times.get(screen)!.push(await timeOf(watched, `${system.url}/console${screen}`));
    const medians = [...times].map(([screen, all]) => ({ screen, ms: all.toSorted((one, other) => one - other)[ROUNDS >> 1]! }));
    for (const { screen, ms } of medians) report(`${String(Math.round(ms)).padStart(6)} ms  ${screen}`);

    expect(medians.filter(({ ms }) => ms > MS_MAX)).toEqual([]);
    expect(watched.errors).toEqual([]);
  });
});

/** Ms from the address to the content of its screen, the scripts of the page included. */
async function timeOf({ page }: WatchedPage, address: string) {
  const from = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Either is there from the start: the sign that something loads, or what was loaded.
  await page.waitForFunction(() => !document.body.innerText.includes('Loading …'));
  return performance.now() - from;
}
declare const document: { body: { innerText: string } };
