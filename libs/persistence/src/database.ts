import { Logger } from '@nestjs/common';
import type { ClientConfig, Pool, QueryResult } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { ANSWER_GRACE_MS } from './connection';
import { isConnectionLost, reasonOf, toDatabaseError } from './errors';
import { type PooledConnection, checkOutClient, checkOutRunner } from './pooled-connection';
import { DedicatedConnection } from './dedicated-connection';
import { runStatement } from './run-statement';
import type { Statement } from './statement';
import { type BeforeCommitHook, type Queryable, register, type Transaction } from './transaction';

export { statement, type Statement } from './statement';
export { type Queryable, type Transaction, transactionOf } from './transaction';

const logger = new Logger('Database');

/** A service's own schema in PostgreSQL. */
export class Database implements Queryable {
  private readonly answerTimeoutMs: number | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly dataSource?: DataSource,
    answerGraceMs = ANSWER_GRACE_MS,
  ) {
    const statementTimeoutMs = Number((pool.options as ClientConfig).statement_timeout ?? 0);
    this.answerTimeoutMs = statementTimeoutMs > 0 ? statementTimeoutMs + answerGraceMs : undefined;
  }

  /** The database behind an initialized data source, on the data source's own pool. */
  static of(dataSource: DataSource, answerGraceMs?: number): Database {
    return new Database((dataSource.driver as PostgresDriver).master as Pool, dataSource, answerGraceMs);
  }

  async query<Row extends object>(statement: Statement | string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.runAlone<Row>(statement, values)).rows;
  }

  async execute(statement: Statement | string, values: readonly unknown[] = []): Promise<number> {
    return (await this.runAlone(statement, values)).rowCount ?? 0;
  }

  /**
   * Commits all statements of `work` or none. `work` may run statements only through its transaction.
   * @throws DatabaseUnavailable with `outcomeUnknown: true` when COMMIT was sent and not answered.
   */
  async transaction<R>(work: (tx: Transaction) => Promise<R>): Promise<R> {
    const connection = await this.checkOut();
    const tx = new OpenTransaction(connection, this.answerTimeoutMs);
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

  /** A connection outside the pool, with the same settings. The caller closes it. */
  connectAlone(applicationName: string): Promise<DedicatedConnection> {
    const settings = this.pool.options as ClientConfig;
    return DedicatedConnection.open(
      // The pool's password property is not enumerable.
      { ...settings, ...(settings.password === undefined ? {} : { password: settings.password }), application_name: applicationName },
      this.answerTimeoutMs,
    );
  }

  private async runAlone<Row extends object>(statement: Statement | string, values: readonly unknown[]): Promise<QueryResult<Row>> {
    let connection: PooledConnection;
    try {
      connection = await checkOutClient(this.pool);
    } catch (error) {
      throw toDatabaseError(error, false);
    }
    let broken = false;
    try {
      return await runStatement<Row>(connection.client, statement, values, this.answerTimeoutMs);
    } catch (error) {
      broken = isConnectionLost(error);
      throw toDatabaseError(error, true);
    } finally {
      await connection.release(broken);
    }
  }

  private async checkOut(): Promise<PooledConnection> {
    try {
      return await (this.dataSource ? checkOutRunner(this.dataSource) : checkOutClient(this.pool));
    } catch (error) {
      throw toDatabaseError(error, false);
    }
  }
}

class OpenTransaction implements Transaction {
  private readonly before: { hook: BeforeCommitHook; order: number }[] = [];
  private readonly after: (() => void)[] = [];
  private tail: Promise<unknown> = Promise.resolve();
  private open = true;
  private broken = false;

  constructor(
    private readonly connection: PooledConnection,
    private readonly answerTimeoutMs: number | undefined,
  ) {
    if (connection.manager) register(connection.manager, this);
  }

  get manager(): EntityManager {
    if (!this.connection.manager) throw new Error('This database has no data source, so its transactions have no entity manager');
    return this.connection.manager;
  }

  async query<Row extends object>(statement: Statement | string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.run<Row>(statement, values)).rows;
  }

  async execute(statement: Statement | string, values: readonly unknown[] = []): Promise<number> {
    return (await this.run(statement, values)).rowCount ?? 0;
  }

  beforeCommit(hook: BeforeCommitHook, order = 0): void {
    this.before.push({ hook, order });
  }

  afterCommit(hook: () => void): void {
    this.after.push(hook);
  }

  begin(): Promise<void> {
    return this.enqueue(() => this.connection.begin(this.answerTimeoutMs));
  }

  /** Runs the hooks; only COMMIT or ROLLBACK may follow. */
  async prepare(): Promise<void> {
    while (this.before.length > 0) {
      const next = this.before.reduce((first, entry) => (entry.order < first.order ? entry : first));
      this.before.splice(this.before.indexOf(next), 1);
      await next.hook(this);
    }
    await this.tail;
  }

  async commit(): Promise<void> {
    this.open = false;
    let command: string;
    try {
      ({ command } = await runStatement(this.connection.client, 'COMMIT', [], this.answerTimeoutMs));
    } catch (error) {
      this.broken ||= isConnectionLost(error);
      throw toDatabaseError(error, true);
    } finally {
      await this.connection.release(this.broken);
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

  async rollback(): Promise<void> {
    this.open = false;
    await this.tail;
    try {
      if (!this.broken) await runStatement(this.connection.client, 'ROLLBACK', [], this.answerTimeoutMs);
    } catch {
      this.broken = true; // closing the connection rolls back as well
    } finally {
      await this.connection.release(this.broken);
    }
  }

  private run<Row extends object>(statement: Statement | string, values: readonly unknown[]): Promise<QueryResult<Row>> {
    if (!this.open) return Promise.reject(new Error('A statement was run after the end of its transaction'));
    return this.enqueue(() => runStatement<Row>(this.connection.client, statement, values, this.answerTimeoutMs));
  }

  /** Runs one action at a time on the connection. */
  private enqueue<R>(action: () => Promise<R>): Promise<R> {
    const outcome = this.tail.then(async () => {
      try {
        return await action();
      } catch (error) {
        this.broken ||= isConnectionLost(error);
        throw toDatabaseError(error, false);
      }
    });
    this.tail = outcome.catch(() => {});
    return outcome;
  }
}
