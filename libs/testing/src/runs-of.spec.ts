import { type Database, statement } from '@tidings/persistence/database';
import { runsOf } from './runs-of';

const OURS = statement('spec.ours', 'select 1');
const THEIRS = statement('spec.theirs', 'select 2');

it('records the statements of the work, and no concurrent ones', async () => {
  const connection = { query: () => Promise.resolve([]), execute: () => Promise.resolve(0) };
  const database = { ...connection, transaction: (within: (tx: object) => Promise<unknown>) => within({ ...connection }) };
  const get = <Provider>(): Provider => database as Provider;
  let start: () => void = () => undefined;
  const concurrent = new Promise<void>((resolve) => (start = resolve)).then(() => (database as unknown as Database).query(THEIRS, []));

  const runs = await runsOf({ get }, async () => {
    const db = get<Database>();
    await db.query(OURS, [1]);
    start();
    await concurrent;
    await db.transaction((tx) => tx.execute(OURS, [2]));
  });

  expect(runs).toEqual([
    [OURS, [1]],
    [OURS, [2]],
  ]);
});
