import { startTcpProxy } from '@tidings/testing/tcp-proxy';
import { waitUntil } from '@tidings/testing/wait-until';
import { openDataSource } from './data-source';
import { Database } from './database';
import { insert, Note, type Notebook, openNotebook, poolOf } from './database.fixture';
import { isUniqueViolation } from './errors';

/** Shorter than in production. */
const GRACE_MS = 300;
const UNAVAILABLE = { code: 'unavailable', message: 'The database cannot be reached', hints: { retryAfterSeconds: 1 } };

describe('an unavailable database', () => {
  let { proxy, pool, database, direct, notes, close } = {} as Notebook;

  beforeEach(async () => {
    ({ proxy, pool, database, direct, notes, close } = await openNotebook());
  });

  afterEach(() => close());
  it('has stored nothing when it cannot be reached', async () => {
    proxy.setReachable(false);
    await waitUntil(() => pool.totalCount === 0, { what: 'the pool to notice' });

    await expect(database.query(insert, ['a'])).rejects.toMatchObject({ ...UNAVAILABLE, outcomeUnknown: false });
    await expect(database.transaction((tx) => tx.query(insert, ['a']))).rejects.toMatchObject({ ...UNAVAILABLE, outcomeUnknown: false });
  });

  it('has stored nothing when its port is closed', async () => {
    const closing = await startTcpProxy(proxy.url);
    const own = await openDataSource({ databaseUrl: closing.url, schema: 'identity', entities: [], migrations: [] });
    await closing.close();
    await waitUntil(() => poolOf(own).totalCount === 0, { what: 'the pool to notice' });

    await expect(new Database(own).query('SELECT 1')).rejects.toMatchObject({ ...UNAVAILABLE, outcomeUnknown: false });
    await own.destroy();
  });

  it('is reported as unavailable when it ends connections while they are opened', async () => {
    const dataSource = await openDataSource({ databaseUrl: proxy.url, schema: 'identity', entities: [], migrations: [] });
    try {
      proxy.setDying(true);
      proxy.setReachable(false);
      proxy.setReachable(true);
      const mapped = new Database(dataSource);
      await waitUntil(() => pool.totalCount === 0, { what: 'the pool to notice' });

      await expect(database.query('SELECT 1')).rejects.toMatchObject(UNAVAILABLE);
      await expect(mapped.query('SELECT 1')).rejects.toMatchObject(UNAVAILABLE);
      await expect(mapped.transaction((tx) => tx.query('SELECT 1'))).rejects.toMatchObject(UNAVAILABLE);

      proxy.setDying(false);
      await waitUntil(() => mapped.transaction((tx) => tx.query('SELECT 1')));
    } finally {
      await dataSource.destroy();
    }
  });

  it('is used again after it recovers', async () => {
    await database.query('SELECT 1');
    proxy.setReachable(false);
    await expect(database.query('SELECT 1')).rejects.toMatchObject(UNAVAILABLE);
    proxy.setReachable(true);

    await waitUntil(() => database.query('SELECT 1 AS n'));
  });

  it('has stored nothing of a transaction terminated before the commit', async () => {
    const cut = database.transaction(async (tx) => {
      await tx.query(insert, ['a']);
      const [{ pid }] = (await tx.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
      await direct.query('SELECT pg_terminate_backend($1)', [pid]);
      await tx.query(insert, ['b']);
    });

    await expect(cut).rejects.toMatchObject({ ...UNAVAILABLE, outcomeUnknown: false });
    await expect(notes()).resolves.toEqual([]);
    await expect(database.query('SELECT 1 AS n')).resolves.toEqual([{ n: 1 }]);
  });

  it.each([
    ['before', []],
    ['after', ['a']],
  ] as const)('leaves the outcome unknown of a transaction whose connection broke %s the COMMIT reached it', async (when, stored) => {
    const after = jest.fn();
    proxy.cutAt('COMMIT', when);
    const cut = database.transaction(async (tx) => {
      await tx.query(insert, ['a']);
      tx.afterCommit(after);
    });

    await expect(cut).rejects.toMatchObject({ ...UNAVAILABLE, outcomeUnknown: true });
    await expect(waitUntil(async () => String(await notes()) === String(stored))).resolves.toBe(true);
    expect(after).not.toHaveBeenCalled();
  });

  it('leaves the outcome unknown of a single unanswered statement', async () => {
    proxy.cutAt('INSERT', 'after');

    await expect(database.query(insert, ['a'])).rejects.toMatchObject({ ...UNAVAILABLE, outcomeUnknown: true });
  });

  it.each<[string, (hasty: Database) => Promise<unknown>, object]>([
    ['a statement', (hasty) => hasty.query('SELECT 1'), {}],
    ['the begin of a transaction', (hasty) => hasty.transaction((tx) => tx.query(insert, ['a'])), { outcomeUnknown: false }],
  ])('times out when it does not answer %s, and closes the connection', async (_, run, expected) => {
    const options = { databaseUrl: proxy.url, schema: 'identity', entities: [], migrations: [], poolSize: 1, statementTimeoutMs: 1_000 };
    const own = await openDataSource(options);
    await new Database(own).query('SELECT 1'); // opens the connection, without the short timeout
    const hasty = new Database(own, GRACE_MS);
    const removed = jest.fn();
    poolOf(own).on('remove', removed);
    proxy.setSilent(true);

    await expect(run(hasty)).rejects.toMatchObject({ ...UNAVAILABLE, ...expected });
    await waitUntil(() => removed.mock.calls.length === 1);
    await own.destroy();
  });

  it('times out where a transaction is started through TypeORM', async () => {
    const options = {
      databaseUrl: proxy.url,
      schema: 'identity',
      entities: [Note],
      migrations: [],
      poolSize: 1,
      statementTimeoutMs: 1_000,
    };
    const dataSource = await openDataSource(options);
    const [patient, hasty] = [new Database(dataSource), new Database(dataSource, GRACE_MS)];
    await patient.query('SELECT 1');
    proxy.setSilent(true);

    await expect(hasty.transaction((tx) => tx.query(insert, ['a']))).rejects.toMatchObject({ ...UNAVAILABLE, outcomeUnknown: false });
    proxy.setSilent(false);
    // On another connection: the pool has replaced the closed one.
    await patient.transaction((tx) => tx.manager.insert(Note, { id: 'b' }));

    await expect(notes()).resolves.toEqual(['b']);
    await dataSource.destroy();
  });

  it('is reported alike by TypeORM’s repositories', async () => {
    const dataSource = await openDataSource({ databaseUrl: proxy.url, schema: 'identity', entities: [Note], migrations: [] });
    const repository = dataSource.getRepository(Note);
    await repository.insert({ id: 'a' });
    const twice: unknown = await repository.insert({ id: 'a' }).catch((error: unknown) => error);
    proxy.setReachable(false);

    await expect(repository.findOneBy({ id: 'a' })).rejects.toMatchObject(UNAVAILABLE);
    await expect(repository.insert({ id: 'b' })).rejects.toMatchObject({ ...UNAVAILABLE, outcomeUnknown: false });
    expect(isUniqueViolation(twice, 'note_pkey')).toBe(true);
    await dataSource.destroy();
  });

  it('does not end the process: a connection that breaks in the pool is replaced', async () => {
    const dataSource = await openDataSource({ databaseUrl: proxy.url, schema: 'identity', entities: [], migrations: [], poolSize: 1 });
    const own = new Database(dataSource);
    const [{ pid }] = (await own.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
    await direct.query('SELECT pg_terminate_backend($1)', [pid]);

    const again = await waitUntil(() => own.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'));

    expect(again[0]!.pid).not.toBe(pid);
    await dataSource.destroy();
  });
});
