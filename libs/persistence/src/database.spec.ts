import { waitUntil } from '@tidings/testing/wait-until';
import { openDataSource } from './data-source';
import { Database, statement } from './database';
import { insert, Note, type Notebook, openNotebook } from './database.fixture';
import { isUniqueViolation } from './errors';

describe('a database', () => {
  let { proxy, pool, database, notes, close } = {} as Notebook;

  beforeEach(async () => {
    ({ proxy, pool, database, notes, close } = await openNotebook());
  });

  afterEach(() => close());

  it('searches only its own schema', async () => {
    await expect(database.query('SELECT current_schemas(false)::text[] AS schemas')).resolves.toEqual([{ schemas: ['identity'] }]);
  });

  /** Another pool on the same database, with a short statement timeout. */
  const withBriefStatements = async <Result>(work: (brief: Database) => Promise<Result>): Promise<Result> => {
    const options = { databaseUrl: proxy.url, schema: 'identity', entities: [], migrations: [], statementTimeoutMs: 1_000 };
    const own = await openDataSource(options);
    try {
      return await work(new Database(own));
    } finally {
      await own.destroy();
    }
  };

  it('sets its application name and timeouts', async () => {
    const settings = await withBriefStatements((brief) =>
      brief.query(
        `SELECT current_setting('application_name') AS name, current_setting('statement_timeout') AS statement,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
      ),
    );

    expect(settings).toEqual([{ name: 'tidings-identity', statement: '1s', idle: '10s' }]);
  });

  it('retains start-up options of the URL', async () => {
    const url = new URL(proxy.url);
    url.searchParams.set('options', '-c work_mem=5MB');
    const own = await openDataSource({ databaseUrl: url.toString(), schema: 'identity', entities: [], migrations: [] });

    const settings = await new Database(own).query(`SELECT current_setting('work_mem') AS memory, current_schema() AS schema`);

    expect(settings).toEqual([{ memory: '5MB', schema: 'identity' }]);
    await own.destroy();
  });

  it('prepares a named statement once on a connection', async () => {
    await database.transaction(async (tx) => {
      await tx.query(insert, ['a']);
      await tx.query(insert, ['b']);
      await expect(tx.query(`SELECT name FROM pg_prepared_statements WHERE name = 'insert-note'`)).resolves.toHaveLength(1);
    });
  });

  it('refuses a statement name that PostgreSQL would truncate', () => {
    expect(() => statement('x'.repeat(64), 'SELECT 1')).toThrow(/1 to 63 bytes/);
  });

  it('counts the rows a statement changed', async () => {
    await expect(database.execute(`INSERT INTO note VALUES ('a'), ('b')`)).resolves.toBe(2);
    await expect(database.transaction((tx) => tx.execute('DELETE FROM note'))).resolves.toBe(2);
  });

  it('recognises a unique violation, and reuses the connection', async () => {
    const pid = async () => (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid;
    const before = await pid();
    await database.query(insert, ['a']);

    const error: unknown = await database.query(insert, ['a']).catch((reason: unknown) => reason);

    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, 'note_pkey')).toBe(true);
    expect(isUniqueViolation(error, 'another_key')).toBe(false);
    await expect(pid()).resolves.toBe(before);
  });

  it('fails a statement that takes too long as deadline_exceeded', async () => {
    const late = withBriefStatements((brief) => brief.query('SELECT pg_sleep(30)'));

    await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' });
  });

  describe('a transaction', () => {
    it('commits everything or nothing', async () => {
      await database.transaction((tx) => tx.query(insert, ['stored']));
      const failed = database.transaction(async (tx) => {
        await tx.query(insert, ['lost']);
        throw new Error('changed my mind');
      });

      await expect(failed).rejects.toThrow('changed my mind');
      await expect(notes()).resolves.toEqual(['stored']);
    });

    it('runs concurrent statements one after another', async () => {
      await database.transaction((tx) => Promise.all(['a', 'b', 'c'].map((id) => tx.query(insert, [id]))));

      await expect(notes()).resolves.toEqual(['a', 'b', 'c']);
    });

    it('runs the hooks before the commit by order, then by registration, and the others after it', async () => {
      const seen: string[] = [];
      await database.transaction((tx) => {
        tx.afterCommit(() => seen.push('after'));
        tx.beforeCommit(async () => void seen.push('last'), 10);
        tx.beforeCommit(async (again) => {
          seen.push('first');
          again.beforeCommit(async () => void seen.push('added'), 5);
          await again.query(insert, ['by a hook']);
        });
        tx.beforeCommit(async () => void seen.push('second'));
        return Promise.resolve();
      });

      expect(seen).toEqual(['first', 'second', 'added', 'last', 'after']);
      await expect(notes()).resolves.toEqual(['by a hook']);
    });

    it('is rolled back when a hook fails', async () => {
      const after = jest.fn();
      const failed = database.transaction(async (tx) => {
        await tx.query(insert, ['a']);
        tx.afterCommit(after);
        tx.beforeCommit(() => Promise.reject(new Error('not like this')));
      });

      await expect(failed).rejects.toThrow('not like this');
      await expect(notes()).resolves.toEqual([]);
      expect(after).not.toHaveBeenCalled();
    });

    it('does not count as committed when an error in it was ignored', async () => {
      const ignored = database.transaction(async (tx) => {
        await tx.query(insert, ['a']);
        await tx.query(insert, ['a']).catch(() => {});
      });

      await expect(ignored).rejects.toThrow(/Nothing was committed/);
      await expect(notes()).resolves.toEqual([]);
    });

    it('refuses a statement after its end', async () => {
      const tx = await database.transaction((open) => Promise.resolve(open));

      await expect(tx.query('SELECT 1')).rejects.toThrow(/after the end of its transaction/);
    });

    it('returns its connection to the pool after success and failure', async () => {
      const attempts = Array.from({ length: 12 }, (_, index) =>
        database.transaction((tx) => tx.query(index % 2 ? 'SELECT 1' : 'SELECT nonsense')).catch(() => {}),
      );

      await Promise.all(attempts);

      await waitUntil(() => pool.idleCount === pool.totalCount && pool.waitingCount === 0, { what: 'an idle pool' });
    });

    it('is unavailable when PostgreSQL aborts it to end a deadlock', async () => {
      await database.query(`INSERT INTO note VALUES ('a'), ('b')`);
      const lock = statement('lock-note', 'SELECT FROM note WHERE id = $1 FOR UPDATE');
      let arrived = 0;
      const crossing = (first: string, second: string) =>
        database.transaction(async (tx) => {
          await tx.query(lock, [first]);
          arrived++;
          await waitUntil(() => arrived === 2);
          await tx.query('SET LOCAL statement_timeout = 0');
          await tx.query(lock, [second]);
        });

      const outcomes = await Promise.allSettled([crossing('a', 'b'), crossing('b', 'a')]);

      const errors = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
      expect(errors).toEqual([expect.objectContaining({ code: 'unavailable', outcomeUnknown: false })]);
    });

    it('is shared with TypeORM', async () => {
      const dataSource = await openDataSource({ databaseUrl: proxy.url, schema: 'identity', entities: [Note], migrations: [] });
      const withEntities = new Database(dataSource);
      const failed = withEntities.transaction(async (tx) => {
        await tx.manager.insert(Note, { id: 'inserted' });
        await tx.manager.save(Object.assign(new Note(), { id: 'saved' }));
        await tx.query(insert, ['plain']);
        expect(await tx.manager.count(Note)).toBe(3);
        throw new Error('all of it');
      });

      await expect(failed).rejects.toThrow('all of it');
      await expect(notes()).resolves.toEqual([]);
      await withEntities.transaction((tx) => tx.manager.insert(Note, { id: 'stored' }));
      await expect(notes()).resolves.toEqual(['stored']);
      await dataSource.destroy();
    });
  });
});
