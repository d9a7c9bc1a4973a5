import { profileLists } from '@tidings/contracts/audience/profile-lists';
import type { TestService } from '@tidings/testing/service';
import { whileLocked } from '@tidings/testing/while-locked';
import { listsOf, users } from '../testing/lists';
import { sharedAudience } from '../testing/start-audience';
import { SetSweeper } from './set-sweeper';

let audience: TestService;
const workspace = () => listsOf(audience);

beforeAll(async () => void (audience = await sharedAudience()));

/** Locks the list's row, as a deletion or replacement does, until `waiting` sessions wait and `meanwhile` is done. */
const whileListLocked = <Result>(
  { context }: ReturnType<typeof workspace>,
  list_id: string,
  waiting: number,
  start: () => Promise<Result>,
  meanwhile?: () => Promise<unknown>,
) =>
  whileLocked(
    audience.adminUrl,
    {
      statement: 'select from audience.lists where workspace_id = $1 and list_id = $2 for no key update',
      values: [context.workspaceId, list_id],
      waiting,
      meanwhile,
    },
    start,
  );

it('creates a list once for concurrent calls that add subscribers, and adds them all', async () => {
  const ours = workspace();

  await Promise.all([ours.add('a', ...users(500).reverse()), ours.add('a', ...users(500, 250)), ours.subscribe('a', 'ada')]);

  const { members } = await ours.members('a');
  expect(members.map(({ user_id }) => user_id)).toEqual(['ada', ...users(750)]);
});

it('has no deadlock between calls that add the same users in different orders', async () => {
  const ours = workspace();
  const some = users(300);
  const join = (user_id: string) =>
    audience.call(profileLists.subscribe, ours.context, { user_id, lists: ['b', 'a', 'c'].map((listId) => ({ listId })) });
  const leave = (user_id: string) => audience.call(profileLists.removeAll, ours.context, { user_id });

  await Promise.all([
    ...['a', 'b', 'c'].flatMap((list) => [ours.add(list, ...some), ours.add(list, ...[...some].reverse()), ours.replace(list, ...some)]),
    ...users(6).flatMap((user) => [join(user), leave(user)]),
  ]);

  for (const list of ['a', 'b', 'c']) {
    const { members } = await ours.members(list);
    expect(members.map(({ user_id }) => user_id)).toEqual(expect.arrayContaining(users(290, 6)));
  }
});

it('adds subscribers while the list’s row is locked', async () => {
  const ours = workspace();
  await ours.put('a');

  // The list's row is locked, and the put waits.
  const put = () => ours.put('a', { name: 'Later' });
  await whileListLocked(ours, 'a', 1, put, async () => {
    await ours.add('a', 'ada');
    await expect(ours.subscribers('a')).resolves.toEqual(['ada']);
  });

  await expect(ours.get('a')).resolves.toMatchObject({ name: 'Later' });
});

it('adds a user during a deletion either to the deleted list or alone to a new one', async () => {
  for (let round = 0; round < 10; round += 1) {
    const ours = workspace();
    await ours.add('a', 'ada');

    await Promise.all([ours.remove('a'), ours.add('a', 'eve')]);

    const present = await ours.ids();
    if (present.length === 0) await ours.restore('a');
    await expect(ours.subscribers('a')).resolves.toEqual(present.length === 0 ? ['ada', 'eve'] : ['eve']);
  }
});

it('keeps the subscribers of one of two concurrent replacements only', async () => {
  const ours = workspace();
  await ours.add('a', ...users(10));

  await Promise.all([ours.replace('a', ...users(300, 100)), ours.replace('a', ...users(300, 500))]);
  await audience.get(SetSweeper).sweep();

  const { members } = await ours.members('a');
  expect([users(300, 100), users(300, 500)]).toContainEqual(members.map(({ user_id }) => user_id));
  await expect(audience.sql('select from subscriptions where workspace_id = $1', [ours.context.workspaceId])).resolves.toHaveLength(300);
});

it('finishes a concurrent deletion and replacement of one list', async () => {
  const ours = workspace();
  await ours.add('a', 'ada');

  await whileListLocked(ours, 'a', 2, () => Promise.all([ours.remove('a'), ours.replace('a', 'eve')]));

  const present = await ours.ids();
  if (present.length === 0) await ours.restore('a');
  await expect(ours.subscribers('a')).resolves.toEqual(['eve']);
});

it('lets one of several deletions succeed, and all of several restorations', async () => {
  const ours = workspace();
  await ours.put('a');

  const deleted = await Promise.allSettled([ours.remove('a'), ours.remove('a'), ours.remove('a')]);
  const restored = await Promise.allSettled([ours.restore('a'), ours.restore('a'), ours.restore('a')]);

  expect(deleted.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(restored.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await expect(ours.ids('*')).resolves.toEqual(['a']);
});
