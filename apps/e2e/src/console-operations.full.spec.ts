import { randomUUID } from 'node:crypto';
import { profileChanged } from '@tidings/contracts/identity/events';
import { itWith } from '@tidings/testing/installed-tools';
import { HeadlessBrowser } from './testing/browser';
import { expectShown, expectText } from './testing/console-expectations';
import { ConsolePages } from './testing/console-pages';
import { SharedSystem } from './testing/shared-system';

const itShows = itWith(HeadlessBrowser);
let system: SharedSystem;
let pages: ConsolePages;

beforeAll(async () => {
  if (HeadlessBrowser.missing() !== undefined) return;
  system = await SharedSystem.join({ mail: true });
  pages = await ConsolePages.start(system);
});
afterEach(() => pages?.closeAll());
afterAll(async () => {
  await pages?.end();
  await system?.leave();
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
    expect(await table.getByRole('row').count()).toBe(2);
    await dialog.getByRole('button', { name: 'Confirm discard' }).click();
    await expectText(dialog.getByRole('status'), /^1 discarded\.$/);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expectText(page.getByRole('main'), /No dead letters wait/);
    expect(errors).toEqual([]);
  });

  itShows('are for operators: an API key is told which key it takes', async () => {
    const { page, errors } = await pages.signedIn('/dead-letters');
    await expectText(page.getByRole('main'), /TIDINGS_ADMIN_KEY/);
    expect(errors).toEqual([]);
  });
});

describe('Each page', () => {
  itShows('of operators has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host', async () => {
    expect(await pages.faultsOf(['/dead-letters', '/overview'], system.adminKey)).toEqual([]);
  });
});
