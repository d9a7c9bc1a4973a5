import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'pg';
import { Database, type Queryable, type Statement } from '@tidings/persistence/database';
import type { TestService } from './service';

/** A statement that was run, with its values. */
export type Run = [statement: Statement, values: readonly unknown[]];

/** TypeORM sends its statements as texts, `Database` as objects. */
const ORM_STATEMENT = /^(select|insert|update|delete) /i;

/**
 * The statements that `work` runs, in order, those of repositories under their text. Statements that the service runs concurrently, such
 * as polling, are excluded.
 */
export async function runsOf({ get }: Pick<TestService, 'get'>, work: () => Promise<unknown>): Promise<Run[]> {
  const runs: Run[] = [];
  const inWork = new AsyncLocalStorage<true>();
  const record = (to: Queryable): void => {
    const note = (statement: Statement | string, values: readonly unknown[] = []): void => {
      if (inWork.getStore() && typeof statement !== 'string') runs.push([statement, values]);
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
      record(tx);
      return within(tx);
    }),
  );
  record(db);
  const send = Client.prototype.query as (this: Client, ...parameters: unknown[]) => void;
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...parameters: unknown[]) {
    const [text, values = []] = parameters as [unknown, unknown[]?];
    if (inWork.getStore() && typeof text === 'string' && ORM_STATEMENT.test(text)) runs.push([{ name: text, text }, values]);
    return send.apply(this, parameters);
  });
  try {
    await inWork.run(true, work);
  } finally {
    jest.restoreAllMocks();
  }
  return runs;
}
