import type { Pool, PoolClient } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { runStatement } from './run-statement';

/** A connection taken from the pool for one purpose, to be given back once. */
export interface PooledConnection {
  readonly client: PoolClient;
  /**
   * Begins a transaction on the connection.
   * @param answerTimeoutMs when the answer is given up; the connection is of no use afterwards.
   */
  begin(answerTimeoutMs: number | undefined): Promise<void>;
  /** TypeORM's view of the same connection; absent where the database has no entities. */
  readonly manager?: EntityManager;
  /** A broken connection is closed instead of going back to the pool. */
  release(broken: boolean): Promise<void>;
}

/** Takes a bare connection. */
export async function checkOutClient(pool: Pool): Promise<PooledConnection> {
  const client = await pool.connect();
  // A connection that breaks between two statements says so by an event, which nobody else listens to now;
  // whoever uses it next meets the error.
  const ignore = () => {};
  client.on('error', ignore);
  return {
    client,
    async begin(answerTimeoutMs) {
      await runStatement(client, 'BEGIN', [], answerTimeoutMs);
    },
    release(broken) {
      client.removeListener('error', ignore);
      client.release(broken);
      return Promise.resolve();
    },
  };
}

/** Takes a connection of the same pool through TypeORM, so that entities and plain statements share a transaction. */
export async function checkOutRunner(dataSource: DataSource): Promise<PooledConnection> {
  const runner = dataSource.createQueryRunner('master');
  const client = (await runner.connect()) as PoolClient;
  return {
    client,
    manager: runner.manager,
    begin: (answerTimeoutMs) => answered(runner.startTransaction(), answerTimeoutMs),
    async release(broken) {
      // The runner has no way to say that a connection is broken; the pool drops one that has ended.
      if (broken) void client.end().catch(() => {});
      await runner.release();
    },
  };
}

/** TypeORM waits for ever; here no longer than the driver would, which says it in these words. */
async function answered(statement: Promise<void>, answerTimeoutMs: number | undefined): Promise<void> {
  if (answerTimeoutMs === undefined) return statement;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Query read timeout')), answerTimeoutMs);
  });
  return Promise.race([statement, late]).finally(() => clearTimeout(timer));
}
