import { randomUUID } from 'node:crypto';
import { AUDIENCE_OPERATORS } from '@tidings/contracts/audience/audiences';
import { itWith } from '@tidings/testing/installed-tools';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Page } from 'playwright-core';
import { ApiClient } from './testing/api-client';
import { HeadlessBrowser } from './testing/browser';
import { expectCount, expectShown, expectText } from './testing/console-expectations';
import { ConsolePages } from './testing/console-pages';
import type { SharedSystem } from './testing/shared-system';

const itShows = itWith(HeadlessBrowser);
let system: SharedSystem;
const pages = ConsolePages.use((joined) => (system = joined));

/** The body of a successful answer. */
async function call<Body>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Body> {
  const answer = await system.client.request<Body>(method, path, { body });
  expect([path, answer.status, answer.status < 300 || answer.body]).toEqual([path, expect.any(Number), true]);
  return answer.body;
}

const tableNamed = (page: Page, name: string) => page.getByRole('table', { name, exact: true });

describe('Lists', () => {
  const idOfList = (): string => `team.l-${randomUUID()}`;

  itShows('are found by a pattern and created; users are added and removed; one is deleted and restored', async () => {
    const [id, user] = [idOfList(), `u-${randomUUID()}`];
    const { page, errors } = await pages.signedIn('/lists');
    await page.getByLabel('Id of a new list').fill(id);
    await page.getByRole('button', { name: 'Create list' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: id }));

    await page.getByLabel('Id of a user').fill(user);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    const subscribers = tableNamed(page, 'Subscribers');
    await expectShown(subscribers.getByRole('link', { name: user }));

    await page.getByRole('button', { name: 'Delete list' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete list' });
    await dialog.getByRole('button', { name: 'Confirm deletion' }).click();
    await expectText(page.getByRole('main'), new RegExp(`There is no list ${id}`));
    expect((await system.client.get(`/lists/${id}`)).status).toBe(404);
    await page.getByRole('button', { name: 'Restore list' }).click();
    await expectShown(subscribers.getByRole('link', { name: user }));

    await page.getByRole('button', { name: `Remove ${user}` }).click();
    await expectText(page.getByRole('main'), /No subscribers/);
    expect(await call('GET', `/lists/${id}/subscriptions`)).toMatchObject({ items: [] });

    await page.goto(pages.address('/lists'));
    await page.getByRole('searchbox', { name: 'Search lists' }).fill(`*.${id.split('.')[1]!}`);
    await page.keyboard.press('Enter');
    await expectShown(tableNamed(page, 'Lists').getByRole('link', { name: id }));
    await expectCount(tableNamed(page, 'Lists').getByRole('row'), 2);
    expect(errors).toEqual([]);
  });

  itShows('have a name and preferences, which are changed; a user leads to the lists they are on', async () => {
    const [id, user] = [idOfList(), `u-${randomUUID()}`];
    await call('PUT', `/lists/${id}/subscriptions/${user}`, {});
    const { page, errors } = await pages.signedIn(`/users/${user}?view=lists`);
    await tableNamed(page, 'Lists').getByRole('link', { name: id }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: id }));

    await page.getByRole('link', { name: 'Name and preferences' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Readers');
    const preferences = { categories: { news: { status: 'OPTED_OUT' } } };
    await page.getByLabel('Preferences of subscribers').fill(JSON.stringify(preferences));
    await page.getByRole('button', { name: 'Save the list' }).click();
    await expectText(page.getByRole('status'), /Saved/);
    expect(await call('GET', `/lists/${id}`)).toMatchObject({ name: 'Readers', preferences });
    expect(errors).toEqual([]);
  });

  itShows('that a key may not change have disabled actions, which name the scope', async () => {
    const id = idOfList();
    await call('PUT', `/lists/${id}`, { name: 'Readers' });
    const operator = new ApiClient(system.url, system.adminKey);
    const { body } = await operator.request<{ key: string }>('POST', `/admin/workspaces/${system.workspaceId}/keys`, {
      body: { mode: 'production', name: 'reader', scopes: ['read:lists'] },
    });
    const { page } = await pages.signedIn(`/lists/${id}`, { key: body.key });
    for (const name of ['Delete list', 'Subscribe']) {
      const action = page.getByRole('button', { name, exact: true });
      await expectShown(action);
      expect([await action.isDisabled(), await action.getAttribute('title')]).toEqual([true, expect.stringContaining('write:lists')]);
    }
  });
});

describe('Audiences', () => {
  /** Stores profiles with a title, and waits until filters find them. */
  const storeProfiles = async (title: string, profiles: Record<string, object>): Promise<void> => {
    for (const [id, profile] of Object.entries(profiles)) await call('PUT', `/profiles/${id}`, { profile: { ...profile, title } });
    const filter = { operator: 'EQ', path: 'title', value: title };
    const count = () => call<{ matched: number }>('POST', '/console/api/audiences/count', { filter });
    await waitUntil(async () => (await count()).matched === Object.keys(profiles).length, { what: 'the profiles' });
  };

  itShows('have a filter that is built of conditions and groups, counts its users meanwhile, and finds the members', async () => {
    const title = `title-${randomUUID()}`;
    const [ada, bob] = [`ada-${randomUUID()}`, `bob-${randomUUID()}`];
    await storeProfiles(title, { [ada]: { country: 'it', roles: ['boss'] }, [bob]: { country: 'fr' } });
    const id = `audience-${randomUUID()}`;
    const { page, errors } = await pages.signedIn('/audiences');
    await page.getByLabel('Id of a new audience').fill(id);
    await page.getByRole('button', { name: 'Create audience' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: id }));

    const group = (name: string) => page.getByRole('group', { name, exact: true });
    const matching = page.getByRole('status', { name: 'Matching users' });
    await expectText(matching, /no members/);
    await group('Filter').getByRole('button', { name: 'Add condition' }).click();
    await expectText(matching, /Complete each condition/);
    await group('Condition 1').getByLabel('Path in the profile').fill('title');
    await group('Condition 1')
      .getByRole('button', { name: /Operator/ })
      .click();
    const offered = await page.getByRole('listbox', { name: 'Operator' }).getByRole('option').allInnerTexts();
    expect(offered.map((text) => text.split(':')[0])).toEqual([...AUDIENCE_OPERATORS]);
    await page.getByRole('option', { name: 'STARTS_WITH' }).click();
    await group('Condition 1').getByLabel('Value').fill(title.slice(0, 20));
    await expectText(matching, /^2 of [\d,]+ users match/);

    await group('Filter').getByRole('button', { name: 'Add group' }).click();
    await group('Condition 2.1').getByLabel('Path in the profile').fill('country');
    await group('Condition 2.1').getByLabel('Value').fill('it');
    await expectText(matching, /^1 of [\d,]+ users match/);
    await expectShown(page.getByRole('main').getByRole('link', { name: ada }));
    await group('Group 2').getByRole('button', { name: 'Add condition' }).click();
    await expectShown(group('Condition 2.2').locator('input:focus'));
    await page.keyboard.type('roles');
    await group('Condition 2.2')
      .getByRole('button', { name: /Operator/ })
      .click();
    await page.getByRole('option', { name: 'INCLUDES:' }).click();
    await group('Condition 2.2').getByLabel('Values').fill('boss\nclerk');
    await page.getByRole('button', { name: 'Save the audience' }).click();
    await expectText(page.getByRole('status'), /Saved/);
    const filter = {
      operator: 'AND',
      filters: [
        { operator: 'STARTS_WITH', path: 'title', value: title.slice(0, 20) },
        {
          operator: 'OR',
          filters: [
            { operator: 'EQ', path: 'country', value: 'it' },
            { operator: 'INCLUDES', path: 'roles', value: ['boss', 'clerk'] },
          ],
        },
      ],
    };
    expect(await call('GET', `/audiences/${id}`)).toMatchObject({ filter });

    await page.getByRole('link', { name: 'Members' }).click();
    await expectShown(tableNamed(page, 'Members').getByRole('link', { name: ada }));
    await expectCount(tableNamed(page, 'Members').getByRole('row'), 2);
    expect(errors).toEqual([]);
  });

  itShows('have a filter that is written as JSON too, and are deleted after a confirmation', async () => {
    const title = `title-${randomUUID()}`;
    await storeProfiles(title, { [title]: {} });
    const id = `audience-${randomUUID()}`;
    await call('PUT', `/audiences/${id}`, { name: 'Staff', filter: { operator: 'EQ', path: 'title', value: 'none' } });
    const { page, errors } = await pages.signedIn(`/audiences/${id}?view=filter&form=json`);
    const field = page.getByLabel('Filter as JSON');
    const matching = page.getByRole('status', { name: 'Matching users' });
    await expectText(matching, /^0 of /);
    await field.fill('{"operator":');
    await expectText(page.getByRole('alert'), /no JSON object/);
    expect(await page.getByRole('button', { name: 'Save the audience' }).isDisabled()).toBe(true);
    await field.fill(JSON.stringify({ operator: 'EQ', path: 'profile.title', value: title }));
    await expectText(matching, /^1 of /);
    await page.getByRole('link', { name: 'Builder' }).click();
    expect(await page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').inputValue()).toBe(title);

    await page.getByRole('button', { name: 'Delete audience' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete audience' });
    await dialog.getByRole('button', { name: 'Confirm deletion' }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: 'Audiences' }));
    expect((await system.client.get(`/audiences/${id}`)).status).toBe(404);
    expect(errors).toEqual([]);
  });
});

describe('Bulk jobs', () => {
  /** A job with a user who has an address, and one who is refused. */
  const createJob = async (address: string): Promise<string> => {
    const message = { event: 'invitation', content: { title: 'Hello {name}', body: 'It works' } };
    const { jobId } = await call<{ jobId: string }>('POST', '/bulk', { message });
    await call('POST', `/bulk/${jobId}`, {
      users: [
        { profile: { email: address }, data: { name: 'Ada' } },
        { recipient: 'bo', data: 7 },
      ],
    });
    return jobId;
  };

  itShows('are listed; one shows its progress by itself, why users failed, and leads to their messages', async () => {
    const address = `${randomUUID()}@example.com`;
    const jobId = await createJob(address);
    const { page, errors } = await pages.signedIn('/bulk-jobs');
    const link = page.getByRole('link', { name: jobId });
    await expectText(tableNamed(page, 'Bulk jobs').getByRole('row').filter({ has: link }), /CREATED\s+invitation\s+1 of 2/);
    await link.click();
    await expectShown(page.getByRole('heading', { level: 1, name: jobId }));
    await expectText(tableNamed(page, 'Failures by reason'), /data must be an object/);
    const users = tableNamed(page, 'Users');
    const row = users.getByRole('row').filter({ has: page.getByRole('link', { name: address }) });
    await expectText(row, /PENDING/);

    await call('POST', `/bulk/${jobId}/run`);
    await expectText(page.getByRole('region', { name: 'Progress' }), /2 of 2\s+100 %/);
    await expectText(page.getByRole('region', { name: 'Progress' }), /COMPLETED/);
    await expectText(row, /ENQUEUED/);
    const messageId = await row.getByRole('link').first().innerText();
    await row.getByRole('link', { name: messageId }).click();
    await expectShown(page.getByRole('heading', { level: 1, name: messageId }));
    await page.getByRole('link', { name: jobId, exact: true }).click();
    await expectShown(page.getByRole('progressbar', { name: 'Progress' }));
    expect(errors).toEqual([]);
  });

  itShows('and each other page has no violation of WCAG 2.2 AA, fits a phone, logs no error and requests no other host', async () => {
    const [jobId, list] = [await createJob(`${randomUUID()}@example.com`), `team.l-${randomUUID()}`];
    await call('PUT', `/lists/${list}/subscriptions/ada`, { preferences: { categories: { news: { status: 'OPTED_OUT' } } } });
    const condition = { operator: 'EQ', path: 'title', value: list };
    const filter = { operator: 'AND', filters: [condition, { operator: 'OR', filters: [{ ...condition, operator: 'OMIT' }, condition] }] };
    await call('PUT', `/audiences/${list}`, { name: 'Readers', filter });
    await call('PUT', '/profiles/ada', { profile: { title: list, email: 'ada@example.com' } });
    await waitUntil(async () => (await call<{ items: object[] }>('GET', `/audiences/${list}/members`)).items.length > 0, {
      what: 'the members',
    });
    const ofLists = ['/lists', '/lists?query=none.such', `/lists/${list}`, `/lists/${list}?view=settings`];
    const ofAudiences = ['/audiences', `/audiences/${list}`, `/audiences/${list}?view=filter`, `/audiences/${list}?view=filter&form=json`];
    expect(await pages.faultsOf([...ofLists, ...ofAudiences, '/bulk-jobs', `/bulk-jobs/${jobId}`])).toEqual([]);
  });
});
