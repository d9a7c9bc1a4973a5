import { profileLists } from '@tidings/contracts/audience/profile-lists';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { TestService } from '@tidings/testing/service';
import { listsOf, optedOutOf, users } from '../testing/lists';
import { sharedAudience } from '../testing/start-audience';

let audience: TestService;
beforeAll(async () => void (audience = await sharedAudience()));

/** Calls of one user on the lists of a workspace. */
function workspace(user_id = 'ada') {
  const ours = listsOf(audience);
  return {
    ...ours,
    mine: () => ours.listsOfUser(user_id),
    join: (...lists: { listId: string; preferences?: RecipientPreferences | null }[]) =>
      audience.call(profileLists.subscribe, ours.context, { user_id, lists }),
    leaveAll: () => audience.call(profileLists.removeAll, ours.context, { user_id }),
  };
}

it('subscribes a user to lists and creates missing ones', async () => {
  const { put, get, join, mine, subscribers } = workspace();
  await put('stored', { name: 'Named' });
  const { created, updated } = await get('stored');

  await expect(join({ listId: 'stored', preferences: optedOutOf('news') }, { listId: 'new', preferences: null })).resolves.toEqual({
    status: 'SUCCESS',
  });

  await expect(mine()).resolves.toEqual([
    { id: 'new', name: 'new', created: expect.any(String) as string, updated: expect.any(String) as string },
    { id: 'stored', name: 'Named', created, updated, preferences: optedOutOf('news') },
  ]);
  await expect(subscribers('new')).resolves.toEqual(['ada']);
});

it('keeps preferences of a subscription unless new ones are given', async () => {
  const { join, mine } = workspace();
  await join({ listId: 'a', preferences: optedOutOf('x') }, { listId: 'b', preferences: optedOutOf('x') });

  await join({ listId: 'a' }, { listId: 'b', preferences: optedOutOf('y') });

  await expect(mine()).resolves.toMatchObject([{ preferences: optedOutOf('x') }, { preferences: optedOutOf('y') }]);
});

it('shows the preferences of the list where the subscription has none', async () => {
  const { put, join, mine } = workspace();
  await put('a', { preferences: optedOutOf('of the list') });
  await join({ listId: 'a' });

  await expect(mine()).resolves.toMatchObject([{ preferences: optedOutOf('of the list') }]);
});

it('pages the lists of a user by id, without deleted ones', async () => {
  const { context, join, remove } = workspace();
  const ids = users(130);
  await join(...ids.map((listId) => ({ listId })));
  await remove('u001');

  const first = await audience.call(profileLists.list, context, { user_id: 'ada' });
  const second = await audience.call(profileLists.list, context, { user_id: 'ada', cursor: first.paging.cursor });

  expect([...first.results, ...second.results].map(({ id }) => id)).toEqual(ids.filter((id) => id !== 'u001'));
  expect(second.paging).toEqual({ more: false });
});

it('returns no lists for an unknown user and refuses an invalid cursor', async () => {
  const { context, mine } = workspace();

  await expect(mine()).resolves.toEqual([]);
  await expect(audience.call(profileLists.list, context, { user_id: 'ada', cursor: 'x' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

it('ends all subscriptions of one user, also those of lists that are restored later', async () => {
  const { add, remove, restore, leaveAll, mine, subscribers } = workspace();
  await add('a', 'ada', 'bob');
  await add('b', 'ada');
  await add('c', 'ada', 'bob');
  await remove('c');

  await expect(leaveAll()).resolves.toEqual({ status: 'SUCCESS' });

  await restore('c');
  await expect(mine()).resolves.toEqual([]);
  await expect(Promise.all(['a', 'b', 'c'].map(subscribers))).resolves.toEqual([['bob'], [], ['bob']]);
});

it.each([
  ['a wrong id', { listId: 'a..b' }, 'lists[1].listId must not'],
  ['wrong preferences', { listId: 'b', preferences: { notifications: { n: 1 } } }, 'lists[1].preferences.notifications.n'],
])('subscribes to no list where one has %s', async (_, wrong, message) => {
  const { join, ids } = workspace();

  await expect(join({ listId: 'a' }, wrong as never)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(message) as string,
  });

  await expect(ids()).resolves.toEqual([]);
});
