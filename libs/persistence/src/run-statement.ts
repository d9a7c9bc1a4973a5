import type { ClientBase, QueryResult } from 'pg';
import type { Statement } from './statement';
import type { Queryable } from './transaction';

/** `query_timeout` may be given per statement; the types know it only per connection. */
interface TimedQuery extends Partial<Statement> {
  text: string;
  values?: unknown[];
  query_timeout?: number;
}

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
  const query: TimedQuery = typeof statement === 'string' ? { text: statement } : { name: statement.name, text: statement.text };
  if (values.length > 0) query.values = [...values];
  if (answerTimeoutMs !== undefined) query.query_timeout = answerTimeoutMs;
  return client.query<Row>(query);
}

/** Rows and row counts of the results that `run` resolves with. */
export abstract class StatementRunner implements Queryable {
  async query<Row extends object>(statement: Statement | string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.run<Row>(statement, values)).rows;
  }

  async execute(statement: Statement | string, values: readonly unknown[] = []): Promise<number> {
    return (await this.run(statement, values)).rowCount ?? 0;
  }

  protected abstract run<Row extends object>(statement: Statement | string, values: readonly unknown[]): Promise<QueryResult<Row>>;
}
