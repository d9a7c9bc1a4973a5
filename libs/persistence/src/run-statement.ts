import type { ClientBase, QueryResult } from 'pg';
import type { Statement } from './statement';
import type { Queryable } from './transaction';

/** How statements are run on a connection. */
export interface RunOptions {
  /** Time limit of the answer in ms, if other than the connection's; after a timeout the connection is unusable. */
  answerTimeoutMs?: number;
  /** Prepares no statement: the next transaction may get another connection of the server. */
  unnamed?: boolean;
}

/** Runs one statement. Throws what the driver throws. */
export function runStatement<Row extends object>(
  client: ClientBase,
  statement: Statement | string,
  values: readonly unknown[],
  { answerTimeoutMs, unnamed = false }: RunOptions = {},
): Promise<QueryResult<Row>> {
  const text = typeof statement === 'string' ? statement : statement.text;
  const name = typeof statement === 'string' || unnamed ? undefined : statement.name;
  // `query_timeout` may be given per statement; the types know it only per connection.
  const query = { values: [...values], query_timeout: answerTimeoutMs, text, name };
  return client.query<Row>(query);
}

/** Runs statements on the connection that `use` provides. */
export abstract class StatementRunner implements Queryable {
  /** Default: named statements, the connection's time limit. */
  protected readonly runOptions: RunOptions = {};

  async query<Row extends object>(statement: Statement | string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.use((client) => runStatement<Row>(client, statement, values, this.runOptions));
    return rows;
  }

  async execute(statement: Statement | string, values: readonly unknown[] = []): Promise<number> {
    const { rowCount } = await this.use((client) => runStatement(client, statement, values, this.runOptions));
    return rowCount ?? 0;
  }

  /** Runs `action` on the connection, and maps its errors. */
  protected abstract use<Result>(action: (client: ClientBase) => Promise<Result>): Promise<Result>;
}
