import { Logger } from '@nestjs/common';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { DataSource, QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { ANSWER_GRACE_MS, connectionConfig } from './connection';
import { connectionOptionsOf } from './make-data-source';
import { isConnectionLost, reasonOf, toConnectError, toDatabaseError } from './errors';
import { DedicatedConnection, SERVER_KEEP_ALIVE } from './dedicated-connection';
import { STATEMENT_TIMEOUT_MS } from './role-settings';
import { type RunOptions, runStatement, StatementRunner } from './run-statement';
import { type BeforeCommitHook, register, type Transaction } from './transaction';
import { Wakes } from './wakes';

export { statement, type Statement } from './statement';
export { type Queryable, type Transaction, transactionOf } from './transaction';

const logger = new Logger('Database');

/** A service's own schema in PostgreSQL. */
export class Database extends StatementRunner {
  private readonly driver = this.dataSource.driver as PostgresDriver;
  private readonly pool = this.driver.master as Pool;
  /** Wakes pollers of other processes that use this schema. */
  readonly wakes = new Wakes(this, `tidings_${this.driver.schema}_work`);
  private readonly options = connectionOptionsOf(this.dataSource);
  private readonly answerTimeoutMs = (this.options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS) + this.answerGraceMs;
  protected override readonly runOptions = { answerTimeoutMs: this.answerTimeoutMs, unnamed: this.options.isTransactionPooled };

  /** The database behind an initialized data source, on the data source's own pool. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly answerGraceMs = ANSWER_GRACE_MS,
  ) {
    super();
  }

  /**
   * Commits all statements of `work` or none. `work` may run statements only through its transaction.
   * @throws DatabaseUnavailable with `outcomeUnknown: true` when COMMIT was sent and not answered.
   */
  async transaction<R>(work: (tx: Transaction) => Promise<R>): Promise<R> {
    const runner = this.dataSource.createQueryRunner('master');
    const client = (await runner.connect()) as PoolClient;
    const tx = new OpenTransaction(runner, client, this.runOptions);
    let result: R;
    try {
      await tx.begin();
      result = await work(tx);
      await tx.prepare();
    } catch (error) {
      await tx.rollback();
      throw toDatabaseError(error, false);
    }
    await tx.commit();
    return result;
  }

  /** A connection outside the pool and past a pooler, with the same settings. The caller closes it. */
  connectAlone(applicationName: string): Promise<DedicatedConnection> {
    const { directUrl, databaseUrl } = this.options;
    const config = connectionConfig({ ...this.options, databaseUrl: directUrl ?? databaseUrl });
    return DedicatedConnection.open(
      { ...config, application_name: applicationName, query_timeout: this.answerTimeoutMs },
      SERVER_KEEP_ALIVE,
    );
  }

  protected async use<Result>(action: (client: ClientBase) => Promise<Result>) {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw toConnectError(error);
    });
    let broken = false;
    try {
      return await action(client);
    } catch (error) {
      broken = isConnectionLost(error);
      throw toDatabaseError(error, true);
    } finally {
      client.release(broken);
    }
  }
}

/** A transaction of entities and plain statements on one connection of the pool, checked out through TypeORM. */
class OpenTransaction extends StatementRunner implements Transaction {
  readonly manager = this.runner.manager;
  private readonly before: { hook: BeforeCommitHook; order: number }[] = [];
  private readonly after: (() => void)[] = [];
  private tail: Promise<unknown> = Promise.resolve();
  private open = true;
  private broken = false;

  constructor(
    private readonly runner: QueryRunner,
    private readonly client: PoolClient,
    protected override readonly runOptions: RunOptions & { answerTimeoutMs: number },
  ) {
    super();
    register(this.manager, this);
  }

  beforeCommit(hook: BeforeCommitHook, order = 0) {
    this.before.push({ hook, order });
  }

  afterCommit(hook: () => void) {
    this.after.push(hook);
  }

  /** TypeORM has no timeout; this one fails with the driver's own message, by which `isConnectionLost` recognises it. */
  begin() {
    return this.use(async () => {
      if (!(await withTimeout(this.runOptions.answerTimeoutMs, this.runner.startTransaction()))) throw new Error('Query read timeout');
    });
  }

  /** Runs the hooks; only COMMIT or ROLLBACK may follow. */
  async prepare() {
    while (this.before.length > 0) {
      const next = this.before.reduce((first, entry) => (entry.order < first.order ? entry : first));
      this.before.splice(this.before.indexOf(next), 1);
      await next.hook(this);
    }
    await this.tail;
  }

  async commit() {
    this.open = false;
    let command: string;
    try {
      ({ command } = await runStatement(this.client, 'COMMIT', [], this.runOptions));
    } catch (error) {
      this.broken ||= isConnectionLost(error);
      throw toDatabaseError(error, true);
    } finally {
      await this.release();
    }
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and without an error.
    if (command !== 'COMMIT')
      throw new Error('Nothing was committed: a statement of the transaction had failed, and its error was ignored');
    for (const hook of this.after) {
      try {
        hook();
      } catch (error) {
        logger.error(`A hook after a commit failed: ${reasonOf(error)}`);
      }
    }
  }

  async rollback() {
    this.open = false;
    await this.tail;
    try {
      if (!this.broken) await runStatement(this.client, 'ROLLBACK', [], this.runOptions);
    } catch {
      this.broken = true; // closing the connection rolls back as well
    } finally {
      await this.release();
    }
  }

  /** The runner cannot mark a connection as broken; the pool drops one that has ended. */
  private async release() {
    if (this.broken) void this.client.end().catch(() => {});
    await this.runner.release();
  }

  /** Runs one action at a time. */
  protected async use<Result>(action: (client: ClientBase) => Promise<Result>) {
    if (!this.open) throw new Error('A statement was run after the end of its transaction');
    const outcome = this.tail.then(async () => {
      try {
        return await action(this.client);
      } catch (error) {
        this.broken ||= isConnectionLost(error);
        throw toDatabaseError(error, false);
      }
    });
    this.tail = outcome.catch(() => {});
    return outcome;
  }
}
