import { AsyncLocalStorage } from 'node:async_hooks';
import { Database, type Queryable, type Statement } from '@tidings/persistence/database';
import type { TestService } from './service';

/** A statement that was run, with what it was given. */
export type Run = [statement: Statement, values: readonly unknown[]];

/**
 * What `work` asks of the database, in the order in which it is asked. What the service asks meanwhile of its own accord, when it
 * looks for what is due, is not told.
 */
export async function runsOf({ get }: Pick<TestService, 'get'>, work: () => Promise<unknown>): Promise<Run[]> {
  const runs: Run[] = [];
  const asking = new AsyncLocalStorage<true>();
  const listen = (to: Queryable): void => {
    const note = (statement: Statement | string, values: readonly unknown[] = []): void => {
      if (asking.getStore() && typeof statement !== 'string') runs.push([statement, values]);
    };
    const query = to.query.bind<Queryable['query']>(to);
    const execute = to.execute.bind(to);
    jest.spyOn(to, 'query').mockImplementation((...parameters) => (note(...parameters), query(...parameters)));
    jest.spyOn(to, 'execute').mockImplementation((...parameters) => (note(...parameters), execute(...parameters)));
  };
  const db = get(Database);
  const transaction = db.transaction.bind(db);
  jest.spyOn(db, 'transaction').mockImplementation((within) =>
    transaction((tx) => {
      listen(tx);
      return within(tx);
    }),
  );
  listen(db);
  try {
    await asking.run(true, work);
  } finally {
    jest.restoreAllMocks();
  }
  return runs;
}
