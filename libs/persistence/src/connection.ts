import type { PoolConfig } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 10_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
const DEFAULT_POOL_SIZE = 10;
const DEFAULT_STATEMENT_TIMEOUT_MS = 15_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/** An answer this long after the server's own time limit counts as lost, in ms: the server or the network is down. */
export const ANSWER_GRACE_MS = 5_000;

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`. */
  databaseUrl: string;
  /** The one schema whose names need no prefix. */
  schema: string;
  /** Maximum connections of the pool. Default 10. */
  poolSize?: number;
  /** When the server cancels a statement, in ms. Default 15 s. */
  statementTimeoutMs?: number;
}

/**
 * Few of our statements need a whole table, and only small ones. PostgreSQL plans a sequential scan while a table is small, and
 * connections use that plan until the table is analyzed, even when it has millions of rows by then. With `enable_seqscan=off`,
 * versions before 18 rate an unavoidable scan so expensive that they would compile the statement each time.
 */
const NO_WHOLE_TABLES = '-c enable_seqscan=off -c jit=off';

/** Schemas and roles are put into SQL and start-up options unquoted, so only plain lower-case names are accepted. */
export function assertPlainIdentifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(name)) {
    throw new Error(`"${name}" is not a plain identifier: lower-case letters, digits and underscores, at most 40`);
  }
  return name;
}

/** Parses a database URL. Node's own error would repeat the text, password included. */
export function parseDatabaseUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new Error('A database URL looks like postgres://user:password@host:port/database; this one cannot be parsed');
  return new URL(text);
}

/**
 * A pool removes its own listener from a connection before the caller can add one. An `error` event without a listener in
 * between would end the process; the next statement fails with the error anyway.
 */
const ignoreError = () => {};

/** Settings of every connection of a service, pooled or not. */
export function connectionConfig(options: ConnectionOptions): PoolConfig {
  const schema = assertPlainIdentifier(options.schema);
  // In the driver the URL overrides the other settings, so start-up options of both are joined here.
  const url = parseDatabaseUrl(options.databaseUrl);
  const urlOptions = url.searchParams.get('options');
  url.searchParams.delete('options');
  return {
    connectionString: url.toString(),
    options: [`-c search_path=${schema}`, NO_WHOLE_TABLES, ...(urlOptions ? [urlOptions] : [])].join(' '),
    application_name: `tidings-${schema}`,
    max: options.poolSize ?? DEFAULT_POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    onConnect: (client) => void client.on('error', ignoreError),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    statement_timeout: options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  };
}

/** Host, port and database of a URL, without its secrets, for messages. */
export function describeTarget(databaseUrl: string): string {
  const url = parseDatabaseUrl(databaseUrl);
  return `${url.searchParams.get('host') ?? url.hostname}:${url.port || 5432}${url.pathname}`;
}
