import { profileLists } from '@tidings/contracts/audience/profile-lists';
import type { TestService } from '@tidings/testing/service';
import { whileLocked } from '@tidings/testing/while-held';
import { listsOf, users } from '../testing/lists';
import { sharedAudience } from '../testing/start-audience';
import { SetSweeper } from './set-sweeper';

let audience: TestService;
const workspace = () => listsOf(audience);

beforeAll(async () => void (audience = await sharedAudience()));

/** Holds the row of the list, as who deletes or replaces does, until so many others wait for it, and `meanwhile` is over. */
const whileListIsHeld = <Result>(
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

it('two who add to a list that is not there both find themselves on it', async () => {
  const ours = workspace();

  await Promise.all([ours.add('a', ...users(500).reverse()), ours.add('a', ...users(500, 250)), ours.subscribe('a', 'ada')]);

  const { members } = await ours.members('a');
  expect(members.map(({ user_id }) => user_id)).toEqual(['ada', ...users(750)]);
});

it('many who add the same users in any order wait in no circle', async () => {
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

it('adding waits for nobody who deletes, replaces or puts the list', async () => {
  const ours = workspace();
  await ours.put('a');

  // The list is held, and the one who puts it waits.
  const put = () => ours.put('a', { name: 'Later' });
  await whileListIsHeld(ours, 'a', 1, put, async () => {
    await ours.add('a', 'ada');
    await expect(ours.subscribers('a')).resolves.toEqual(['ada']);
  });

  await expect(ours.get('a')).resolves.toMatchObject({ name: 'Later' });
});

it('who is added while the list is deleted is on the deleted list, or alone on a new one', async () => {
  for (let round = 0; round < 10; round += 1) {
    const ours = workspace();
    await ours.add('a', 'ada');

    await Promise.all([ours.remove('a'), ours.add('a', 'eve')]);

    const there = await ours.ids();
    if (there.length === 0) await ours.restore('a');
    await expect(ours.subscribers('a')).resolves.toEqual(there.length === 0 ? ['ada', 'eve'] : ['eve']);
  }
});

it('of two who replace all subscribers one has the last word, and the other leaves nobody behind', async () => {
  const ours = workspace();
  await ours.add('a', ...users(10));

  await Promise.all([ours.replace('a', ...users(300, 100)), ours.replace('a', ...users(300, 500))]);
  await audience.get(SetSweeper).sweep();

  const { members } = await ours.members('a');
  expect([users(300, 100), users(300, 500)]).toContainEqual(members.map(({ user_id }) => user_id));
  await expect(audience.sql('select from subscriptions where workspace_id = $1', [ours.context.workspaceId])).resolves.toHaveLength(300);
});

it('of a deletion and a replacement that wait for each other’s list both are done', async () => {
  const ours = workspace();
  await ours.add('a', 'ada');

  await whileListIsHeld(ours, 'a', 2, () => Promise.all([ours.remove('a'), ours.replace('a', 'eve')]));

  const there = await ours.ids();
  if (there.length === 0) await ours.restore('a');
  await expect(ours.subscribers('a')).resolves.toEqual(['eve']);
});

it('of several who restore a list all are content, and of several who delete it one is', async () => {
  const ours = workspace();
  await ours.put('a');

  const deleted = await Promise.allSettled([ours.remove('a'), ours.remove('a'), ours.remove('a')]);
  const restored = await Promise.allSettled([ours.restore('a'), ours.restore('a'), ours.restore('a')]);

  expect(deleted.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(restored.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await expect(ours.ids('*')).resolves.toEqual(['a']);
});
