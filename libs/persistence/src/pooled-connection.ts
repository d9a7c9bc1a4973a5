import type { Pool, PoolClient } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { runStatement } from './run-statement';

/** A connection checked out of the pool; to be released once. */
export interface PooledConnection {
  readonly client: PoolClient;
  /**
   * Begins a transaction on the connection.
   * @param answerTimeoutMs time limit of the answer; after a timeout the connection is unusable.
   */
  begin(answerTimeoutMs: number | undefined): Promise<void>;
  /** TypeORM's view of the same connection; absent where the database has no entities. */
  readonly manager?: EntityManager;
  /** A broken connection is closed instead of returned to the pool. */
  release(broken: boolean): Promise<void>;
}

/** Checks out a connection without TypeORM. */
export async function checkOutClient(pool: Pool): Promise<PooledConnection> {
  const client = await pool.connect();
  return {
    client,
    async begin(answerTimeoutMs) {
      await runStatement(client, 'BEGIN', [], answerTimeoutMs);
    },
    release(broken) {
      client.release(broken);
      return Promise.resolve();
    },
  };
}

/** Checks out a connection of the same pool through TypeORM, so that entities and plain statements share a transaction. */
export async function checkOutRunner(dataSource: DataSource): Promise<PooledConnection> {
  const runner = dataSource.createQueryRunner('master');
  const client = (await runner.connect()) as PoolClient;
  return {
    client,
    manager: runner.manager,
    begin: (answerTimeoutMs) => answered(runner.startTransaction(), answerTimeoutMs),
    async release(broken) {
      // The runner cannot mark a connection as broken; the pool drops one that has ended.
      if (broken) void client.end().catch(() => {});
      await runner.release();
    },
  };
}

/** TypeORM has no timeout; this one fails with the driver's own message, by which `isConnectionLost` recognises it. */
async function answered(statement: Promise<void>, answerTimeoutMs: number | undefined): Promise<void> {
  if (answerTimeoutMs === undefined) return statement;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Query read timeout')), answerTimeoutMs);
  });
  return Promise.race([statement, late]).finally(() => clearTimeout(timer));
}
