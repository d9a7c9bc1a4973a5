import type { ListMembersPage } from '@tidings/contracts/audience/list-members';
import { RECIPIENT_PREFERENCES_BYTES_MAX, type RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { TestService } from '@tidings/testing/service';
import { SetSweeper } from '../lists/set-sweeper';
import { listsOf, optedOutOf, users } from '../testing/lists';
import { sharedAudience } from '../testing/start-audience';
import { FEW_LISTS_MAX } from './list-members.handlers';

let audience: TestService;
const workspace = () => listsOf(audience);

beforeAll(async () => void (audience = await sharedAudience()));

/** Loads all pages; calls `meanwhile` after each. */
async function allOf(next: (cursor?: string) => Promise<ListMembersPage>, meanwhile: (page: number) => Promise<unknown> = async () => {}) {
  const pages: ListMembersPage[] = [];
  let cursor: string | undefined;
  do {
    const page = await next(cursor);
    pages.push(page);
    ({ cursor } = page);
    await meanwhile(pages.length);
  } while (cursor !== undefined);
  return { pages, ids: pages.flatMap(({ members }) => members.map(({ user_id }) => user_id)) };
}

/** Preferences of nearly the maximal size. */
const large = (topic: string): RecipientPreferences => ({
  categories: { [topic]: { status: 'OPTED_IN' }, ['x'.repeat(RECIPIENT_PREFERENCES_BYTES_MAX - 200)]: { status: 'OPTED_IN' } },
});

describe('members of a list', () => {
  it('returns pages with the preferences of members and list', async () => {
    const { put, add, members } = workspace();
    await put('a', { preferences: optedOutOf('of the list') });
    await add('a', ...users(3), { recipientId: 'ada', preferences: optedOutOf('own') });

    const first = await members('a', 2);
    const second = await members('a', 2, first.cursor);

    expect(first).toEqual({
      found: true,
      members: [
        { user_id: 'ada', list_id: 'a', preferences: optedOutOf('own') },
        { user_id: 'u000', list_id: 'a' },
      ],
      lists: [{ list_id: 'a', preferences: optedOutOf('of the list') }],
      more: true,
      cursor: expect.any(String) as string,
    });
    expect(second).toMatchObject({ found: true, members: [{ user_id: 'u001' }, { user_id: 'u002' }], more: false });
  });

  it('returns none for a missing or a deleted list', async () => {
    const { add, members, remove } = workspace();
    await add('a', 'ada');
    await remove('a');

    const none = { found: false, members: [], lists: [], more: false };
    await expect(Promise.all([members('a'), members('b')])).resolves.toEqual([none, none]);
  });

  it('returns lasting members once though all are replaced and swept between pages', async () => {
    const { add, replace, members } = workspace();
    await add('a', ...users(60));
    const lasting = users(60).filter((_, n) => n % 3 === 0);

    const { ids } = await allOf(
      (cursor) => members('a', 7, cursor),
      async (page) => {
        await replace('a', ...lasting, ...users(20, 100 * page));
        await audience.get(SetSweeper).sweep();
      },
    );

    expect(ids.filter((id) => lasting.includes(id))).toEqual(lasting);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('splits large preferences into pages, each member once', async () => {
    const { add, members } = workspace();
    for (const ten of [0, 10, 20]) {
      await add('a', ...users(10, ten).map((recipientId) => ({ recipientId, preferences: large(recipientId) })));
    }

    const { pages, ids } = await allOf((cursor) => members('a', undefined, cursor));

    expect(ids).toEqual(users(30));
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(4_000_000);
  });
});

describe.each([
  ['few', 0],
  ['many', FEW_LISTS_MAX],
])('members of a pattern that matches %s lists', (_, empty) => {
  const filled = async () => {
    const ours = workspace();
    for (const id of users(empty)) await ours.put(`empty.${id}`);
    return ours;
  };

  it('returns each member once, with the first list by id', async () => {
    const { put, add, remove, membersOfPattern } = await filled();
    await put('b.x', { preferences: optedOutOf('b') });
    await put('c.x', { preferences: optedOutOf('c') });
    await add('c.x', { recipientId: 'ada', preferences: optedOutOf('own') }, 'eve');
    await add('b.x', 'ada', 'bob');
    await add('a.x', 'bob', 'ada');
    await add('y', 'zoe');
    await remove('a.x');

    const { pages } = await allOf((cursor) => membersOfPattern('*.*', 2, cursor));

    expect(pages.flatMap(({ members }) => members)).toEqual([
      { user_id: 'ada', list_id: 'b.x' },
      { user_id: 'bob', list_id: 'b.x' },
      { user_id: 'eve', list_id: 'c.x' },
    ]);
    expect(pages[0]!.lists).toEqual([{ list_id: 'b.x', preferences: optedOutOf('b') }]);
    expect(pages[1]!.lists).toEqual([{ list_id: 'c.x', preferences: optedOutOf('c') }]);
  });

  it('returns lasting members once, whichever lists they join and leave', async () => {
    const { add, unsubscribe, replace, membersOfPattern } = await filled();
    const lasting = users(40);
    await add('b.x', ...lasting);
    await add('c.x', ...users(10), ...users(10, 500));

    const { ids } = await allOf(
      (cursor) => membersOfPattern('*.*', 6, cursor),
      async (page) => {
        if (page === 1) await add('a.x', ...lasting);
        if (page === 2) await replace('b.x', 'bob');
        if (page === 3) await unsubscribe('c.x', 'u003');
        if (page === 4) await audience.get(SetSweeper).sweep();
      },
    );

    expect(ids.filter((id) => lasting.includes(id))).toEqual(lasting);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('members of a pattern', () => {
  it('returns none where it matches no list', async () => {
    await expect(workspace().membersOfPattern('a.**')).resolves.toEqual({ found: false, members: [], lists: [], more: false });
  });

  it('returns none where its lists are empty', async () => {
    const { put, membersOfPattern } = workspace();
    await put('a.b');

    await expect(membersOfPattern('a.**')).resolves.toEqual({ found: true, members: [], lists: [], more: false });
  });

  it('accepts a list id as pattern', async () => {
    const { add, membersOfPattern } = workspace();
    await add('a', 'ada');
    await add('a.b', 'bob');

    await expect(membersOfPattern('a')).resolves.toMatchObject({ found: true, members: [{ user_id: 'ada' }] });
  });

  it('refuses an invalid pattern', async () => {
    await expect(workspace().membersOfPattern('**')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('splits large preferences of lists into pages, each member once', async () => {
    const { put, add, membersOfPattern } = workspace();
    for (const id of users(30)) {
      await put(`a.${id}`, { preferences: large(id) });
      await add(`a.${id}`, id);
    }

    const { pages, ids } = await allOf((cursor) => membersOfPattern('a.*', undefined, cursor));

    expect(ids).toEqual(users(30));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ lists }) => lists.map(({ list_id }) => list_id))).toEqual(users(30).map((id) => `a.${id}`));
  });
});
