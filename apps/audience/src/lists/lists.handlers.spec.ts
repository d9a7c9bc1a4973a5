import { randomUUID } from 'node:crypto';
import { lists } from '@tidings/contracts/audience/lists';
import { profileLists } from '@tidings/contracts/audience/profile-lists';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { listsOf, optedOutOf, users } from '../testing/lists';
import { sharedAudience } from '../testing/start-audience';

let audience: TestService;
const workspace = () => listsOf(audience);

beforeAll(async () => void (audience = await sharedAudience()));

describe('a list', () => {
  it('is returned as it was put', async () => {
    const { put, get } = workspace();
    const preferences = { ...optedOutOf('news'), notifications: { welcome: { status: 'OPTED_IN' as const, rules: [], anything: [1] } } };

    await put('a.b', { name: 'Ours', preferences });

    const { created, updated, ...list } = await get('a.b');
    expect(list).toEqual({ id: 'a.b', name: 'Ours', preferences });
    expect(created).toBe(updated);
    expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('keeps subscribers and creation date when put again, and clears absent fields', async () => {
    const { put, get, add, subscribers } = workspace();
    await put('a', { preferences: optedOutOf('news') });
    await add('a', 'ada');
    const before = await get('a');
    await waitUntil(() => Date.now() > Date.parse(before.updated), { what: 'another millisecond' });

    await put('a', { name: 'Other' });

    const after = await get('a');
    expect(after).toMatchObject({ name: 'Other', created: before.created });
    expect(after).not.toHaveProperty('preferences');
    expect(after.updated > before.updated).toBe(true);
    await expect(subscribers('a')).resolves.toEqual(['ada']);
  });

  it.each([
    ['an id with a star', { list_id: 'a.*' }, 'list_id must not contain *'],
    ['an id of five parts', { list_id: 'a.b.c.d.e' }, 'list_id must not have more than 4 parts'],
    ['a name that is empty', { name: '' }, 'name'],
    ['a name that cannot be stored', { name: 'a\0' }, 'name'],
    ['a preference without status', { preferences: { categories: { news: {} as never } } }, 'preferences.categories.news: status'],
    ['a preference that is not an object', { preferences: { notifications: { 'a b': 1 as never } } }, 'preferences.notifications["a b"]'],
    [
      'an unknown channel',
      { preferences: { categories: { n: { status: 'OPTED_IN', channel_preferences: [{ channel: 'x' as never }] } } } },
      'channel',
    ],
    ['too large preferences', { preferences: { categories: { ['x'.repeat(262_144)]: { status: 'OPTED_IN' as const } } } }, 'bytes'],
  ])('is refused with %s', async (_, overrides, words) => {
    const refused = workspace().put('a', overrides as never);

    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(words) as string });
  });

  it('is not found after its deletion, and is restored with its subscribers', async () => {
    const { put, get, add, ids, remove, restore, subscribers, subscriptions } = workspace();
    await put('a.b', { name: 'Ours', preferences: optedOutOf('news') });
    await add('a.b', ...users(3));
    const before = await get('a.b');

    await remove('a.b');

    await expect(get('a.b')).rejects.toMatchObject({ code: 'not_found' });
    await expect(subscriptions('a.b')).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove('a.b')).rejects.toMatchObject({ code: 'not_found' });
    await expect(Promise.all([ids(), ids('a.b'), ids('a.*')])).resolves.toEqual([[], [], []]);

    await restore('a.b');

    await expect(get('a.b')).resolves.toMatchObject({ ...before, updated: expect.any(String) as string });
    await expect(subscribers('a.b')).resolves.toEqual(users(3));
    await expect(Promise.all([ids(), ids('a.b'), ids('a.*')])).resolves.toEqual([['a.b'], ['a.b'], ['a.b']]);
    await expect(restore('a.b')).resolves.toBeUndefined();
  });

  it('cannot be restored if it never existed', async () => {
    await expect(workspace().restore('a')).rejects.toMatchObject({ code: 'not_found', message: 'List a does not exist' });
  });

  it.each<[string, (ours: ReturnType<typeof workspace>) => Promise<unknown>, string[]]>([
    ['put', ({ put }) => put('a'), []],
    ['given a subscriber', ({ subscribe }) => subscribe('a', 'eve'), ['eve']],
    ['given subscribers', ({ add }) => add('a', 'eve'), ['eve']],
    ['given all subscribers', ({ replace }) => replace('a', 'eve'), ['eve']],
  ])('is created without its old subscribers when it is %s after its deletion', async (_, write, expected) => {
    const ours = workspace();
    await ours.put('a', { name: 'Old', preferences: optedOutOf('news') });
    await ours.add('a', 'ada');
    await ours.remove('a');

    await write(ours);

    await expect(ours.subscribers('a')).resolves.toEqual(expected);
    await expect(ours.get('a')).resolves.not.toHaveProperty('preferences');
    await ours.restore('a'); // nothing to restore
    await expect(ours.subscribers('a')).resolves.toEqual(expected);
    await expect(ours.listsOfUser('ada')).resolves.toEqual([]);
  });

  it('has its id as name until it is named', async () => {
    const { add, get } = workspace();

    await add('a.b', 'ada');

    await expect(get('a.b')).resolves.toMatchObject({ id: 'a.b', name: 'a.b' });
  });
});

describe('the lists of a workspace', () => {
  it('are paged by id, equal under both field names', async () => {
    const { put, page } = workspace();
    const ids = users(150);
    for (const id of ids) await put(id);

    const first = await page();
    const second = await page(undefined, first.paging.cursor);

    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(first.paging.more).toBe(true);
    expect(second.paging).toEqual({ more: false });
    expect(first.results).toEqual(first.items);
  });

  it('are filtered by a pattern', async () => {
    const { put, ids, restore, remove } = workspace();
    for (const id of ['a', 'b', 'a.b', 'a.c', 'b.b', 'a-b', 'a.b.c', 'a.x.c', 'a.b.c.d', 'b.x.c.d']) await put(id);
    await remove('a.c');
    await remove('b.b');
    await restore('b.b');

    await expect(ids('a')).resolves.toEqual(['a']);
    await expect(ids('nothing')).resolves.toEqual([]);
    await expect(ids('*')).resolves.toEqual(['a', 'a-b', 'b']);
    await expect(ids('*.*')).resolves.toEqual(['a.b', 'b.b']);
    await expect(ids('*.b')).resolves.toEqual(['a.b', 'b.b']);
    await expect(ids('a.*.c')).resolves.toEqual(['a.b.c', 'a.x.c']);
    await expect(ids('a.**')).resolves.toEqual(['a.b', 'a.b.c', 'a.b.c.d', 'a.x.c']);
    await expect(ids('a.*.**')).resolves.toEqual(['a.b.c', 'a.b.c.d', 'a.x.c']);
    await expect(ids('*.x.**')).resolves.toEqual(['a.x.c', 'b.x.c.d']);
    await expect(ids('*.*.c.d')).resolves.toEqual(['a.b.c.d', 'b.x.c.d']);
  });

  it('are paged by pattern, and a cursor is valid for its pattern only', async () => {
    const { put, page } = workspace();
    const ids = users(120).map((id) => `a.${id}`);
    for (const id of [...ids, 'b.u000']) await put(id);

    const first = await page('a.*');
    const second = await page('a.*', first.paging.cursor);

    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    await expect(page('a.**', first.paging.cursor)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each(['**', 'a.**.b', 'g*', 'a.'])('refuse the pattern %s', async (pattern) => {
    await expect(workspace().page(pattern)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^pattern must /) as string,
    });
  });
});

it('are not more than the quota of the workspace, however they are created', async () => {
  const context = { ...contextOf(randomUUID()), quota: 2 };
  const { put, add, replace, subscribe, remove, restore } = listsOf(audience, context);
  const exceeded = { code: 'forbidden', message: 'The quota lists of the workspace is 2: it cannot have more lists than that' };
  await put('a');
  await add('b', 'ada');

  await expect(put('c')).rejects.toMatchObject(exceeded);
  await expect(add('c', 'ada')).rejects.toMatchObject(exceeded);
  await expect(replace('c', 'ada')).rejects.toMatchObject(exceeded);
  await expect(subscribe('c', 'ada')).rejects.toMatchObject(exceeded);
  const many = { user_id: 'ada', lists: [{ listId: 'a' }, { listId: 'd' }] };
  await expect(audience.call(profileLists.subscribe, context, many)).rejects.toMatchObject(exceeded);
  await put('a', { name: 'Other' });
  await remove('a');
  await waitUntil(
    () =>
      put('c').then(
        () => true,
        () => false,
      ),
    { what: 'a list to be created' },
  );
  await expect(restore('a')).rejects.toMatchObject(exceeded);
});

it('applies a deletion once that is delivered twice', async () => {
  const { put, context } = workspace();
  await put('a');
  const call = audience.redelivered();
  const deliver = () => call(lists.remove, context, { list_id: 'a' });

  await deliver();

  await expect(deliver()).resolves.toBeUndefined();
});

describeWorkspaceIsolation('a list', {
  arrange: async (owner) => {
    await listsOf(audience, owner).put('a');
    await listsOf(audience, owner).add('a', 'ada');
  },
  read: async (owner) => [await listsOf(audience, owner).page(), await listsOf(audience, owner).subscriptions('a')],
  attempts: {
    listing: { attempt: (stranger) => listsOf(audience, stranger).page() },
    'listing a pattern': { attempt: (stranger) => listsOf(audience, stranger).page('*') },
    getting: { attempt: (stranger) => listsOf(audience, stranger).get('a'), refusedWith: 'not_found' },
    putting: { attempt: (stranger) => listsOf(audience, stranger).put('a', { name: 'Theirs' }) },
    deleting: { attempt: (stranger) => listsOf(audience, stranger).remove('a'), refusedWith: 'not_found' },
    restoring: { attempt: (stranger) => listsOf(audience, stranger).restore('a'), refusedWith: 'not_found' },
    'listing subscribers': { attempt: (stranger) => listsOf(audience, stranger).subscriptions('a'), refusedWith: 'not_found' },
    'adding subscribers': { attempt: (stranger) => listsOf(audience, stranger).add('a', 'eve') },
    'replacing subscribers': { attempt: (stranger) => listsOf(audience, stranger).replace('a', 'eve') },
    subscribing: { attempt: (stranger) => listsOf(audience, stranger).subscribe('a', 'ada', optedOutOf('x')) },
    unsubscribing: { attempt: (stranger) => listsOf(audience, stranger).unsubscribe('a', 'ada'), refusedWith: 'not_found' },
    'paging members': { attempt: (stranger) => listsOf(audience, stranger).members('a') },
    'paging members of a pattern': { attempt: (stranger) => listsOf(audience, stranger).membersOfPattern('*') },
    'ending all subscriptions': { attempt: (stranger) => audience.call(profileLists.removeAll, stranger, { user_id: 'ada' }) },
    'the lists of a user': { attempt: (stranger) => listsOf(audience, stranger).listsOfUser('ada') },
  },
});
