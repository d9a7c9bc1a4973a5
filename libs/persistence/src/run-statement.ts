import type { ClientBase, QueryResult } from 'pg';
import type { Statement } from './statement';
import type { Queryable } from './transaction';

/**
 * Runs one statement. Throws what the driver throws.
 * @param answerTimeoutMs time limit of the answer, if other than the connection's; after a timeout the connection is unusable.
 */
export function runStatement<Row extends object>(
  client: ClientBase,
  statement: Statement | string,
  values: readonly unknown[],
  answerTimeoutMs?: number,
): Promise<QueryResult<Row>> {
  const named = typeof statement === 'string' ? { text: statement } : statement;
  // `query_timeout` may be given per statement; the types know it only per connection.
  const query = { values: [...values], query_timeout: answerTimeoutMs, ...named };
  return client.query<Row>(query);
}

/** Runs statements on the connection that `use` provides. */
export abstract class StatementRunner implements Queryable {
  /** See `runStatement`. */
  protected answerTimeoutMs?: number;

  async query<Row extends object>(statement: Statement | string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.use((client) => runStatement<Row>(client, statement, values, this.answerTimeoutMs));
    return rows;
  }

  async execute(statement: Statement | string, values: readonly unknown[] = []): Promise<number> {
    const { rowCount } = await this.use((client) => runStatement(client, statement, values, this.answerTimeoutMs));
    return rowCount ?? 0;
  }

  /** Runs `action` on the connection, and maps its errors. */
  protected abstract use<Result>(action: (client: ClientBase) => Promise<Result>): Promise<Result>;
}
