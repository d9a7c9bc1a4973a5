import { LIST_RESTORABLE_DAYS } from '@tidings/contracts/audience/lists';
import type { TestService } from '@tidings/testing/service';
import { Client } from 'pg';
import { listsOf, users } from '../testing/lists';
import { sharedAudience } from '../testing/start-audience';
import { SetSweeper } from './set-sweeper';

let audience: TestService;

beforeAll(async () => void (audience = await sharedAudience()));

function workspace() {
  const ours = listsOf(audience);
  const count = async (table: string) =>
    (
      await audience.sql<{ n: number }>(`select count(*)::integer as n from ${table} where workspace_id = $1`, [ours.context.workspaceId])
    )[0]!.n;
  return {
    ...ours,
    sweep: () => audience.get(SetSweeper).sweep(),
    stored: async () => ({
      subscriptions: await count('subscriptions'),
      sets: await count('subscriber_sets'),
      lists: await count('lists'),
    }),
    /** Moves the list's deletion `days` into the past. */
    age: (list_id: string, days: number) =>
      audience.sql(`update lists set deleted_at = deleted_at - $3 * interval '1 day' where workspace_id = $1 and list_id = $2`, [
        ours.context.workspaceId,
        list_id,
        days,
      ]),
  };
}

it('removes replaced subscribers in several transactions', async () => {
  const { replace, stored, sweep, subscribers } = workspace();
  await replace('a', ...Array.from({ length: 12_000 }, (_, n) => `old-${n}`));
  await replace('a', 'ada');
  await expect(stored()).resolves.toEqual({ subscriptions: 12_001, sets: 3, lists: 1 });

  await sweep();

  await expect(stored()).resolves.toEqual({ subscriptions: 1, sets: 1, lists: 1 });
  await expect(subscribers('a')).resolves.toEqual(['ada']);
});

it('removes deleted lists once they can no longer be restored', async () => {
  const { add, remove, restore, age, stored, sweep, subscribers } = workspace();
  await add('young', ...users(2));
  await add('old', ...users(3));
  await remove('young');
  await remove('old');
  await age('young', LIST_RESTORABLE_DAYS - 1);
  await age('old', LIST_RESTORABLE_DAYS);

  await sweep();

  await expect(stored()).resolves.toEqual({ subscriptions: 2, sets: 1, lists: 1 });
  await restore('young');
  await expect(subscribers('young')).resolves.toEqual(users(2));
  await expect(restore('old')).rejects.toMatchObject({ code: 'not_found' });
});

it('skips a set while a transaction adds to it', async () => {
  const { context, add, replace, stored, sweep } = workspace();
  await add('a', 'ada');
  const adder = new Client({ connectionString: audience.adminUrl });
  await adder.connect();
  try {
    await adder.query('begin');
    const lock = 'select set_id from audience.subscriber_sets where workspace_id = $1 for key share';
    const { rows } = await adder.query<{ set_id: string }>(lock, [context.workspaceId]);
    await replace('a', 'eve');
    await sweep();
    await expect(stored()).resolves.toMatchObject({ subscriptions: 2 });
    const late = `insert into audience.subscriptions (workspace_id, set_id, user_id, list_id) values ($1, $2, 'late', 'a')`;
    await adder.query(late, [context.workspaceId, rows[0]!.set_id]);
    await adder.query('commit');
  } finally {
    await adder.end();
  }

  await sweep();

  await expect(stored()).resolves.toEqual({ subscriptions: 1, sets: 1, lists: 1 });
});
