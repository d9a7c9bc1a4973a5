import type { PoolConfig } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 10_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
const DEFAULT_POOL_SIZE = 10;
const DEFAULT_STATEMENT_TIMEOUT_MS = 15_000;
const DEFAULT_IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/** How long after the server's own limit an answer is given up: the server, or the way to it, is gone. */
export const ANSWER_GRACE_MS = 5_000;

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`. */
  databaseUrl: string;
  /** The one schema whose names need no prefix. */
  schema: string;
  /** Most connections of the pool. Default 10. */
  poolSize?: number;
  /** When the server gives a statement up, in ms. Default 15 s; 0 never. */
  statementTimeoutMs?: number;
  /** When the server ends a transaction nobody works on, in ms. Default 10 s; 0 never. */
  idleInTransactionTimeoutMs?: number;
}

/**
 * Few statements of ours need a table from end to end, and those need small ones. For a table that is empty or small PostgreSQL would
 * read it so all the same, and connections keep that plan while the table grows to millions of rows, until it is analyzed. Before 18 it
 * takes what cannot be avoided for so dear that it would compile the statement each time.
 */
const NO_WHOLE_TABLES = '-c enable_seqscan=off -c jit=off';

/** Schemas and roles go into SQL and start-up options as they are, so only plain lower-case names are taken. */
export function assertPlainIdentifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(name)) {
    throw new Error(`"${name}" is not a plain identifier: lower-case letters, digits and underscores, at most 40`);
  }
  return name;
}

/** The platform's own error would repeat the text, password included. */
export function parseDatabaseUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new Error('A database URL looks like postgres://user:password@host:port/database, this one cannot be parsed');
  return new URL(text);
}

/**
 * A pool takes its own listener from a connection before whoever is to have it can add one. A last word of the server just then, an
 * error nobody listens to, would end the process; the statement that follows meets the error anyway.
 */
const heardByNobody = (): void => {};

/** Settings of every connection of a service, pooled or not. */
export function connectionConfig(options: ConnectionOptions): PoolConfig {
  const schema = assertPlainIdentifier(options.schema);
  // What the URL says wins over the other settings in the driver, so start-up options of both are joined here.
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
    onConnect: (client) => void client.on('error', heardByNobody),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    statement_timeout: options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? DEFAULT_IDLE_IN_TRANSACTION_TIMEOUT_MS,
  };
}

/** Where a URL leads, without its secrets, for messages. */
export function describeTarget(databaseUrl: string): string {
  const url = parseDatabaseUrl(databaseUrl);
  return `${url.searchParams.get('host') ?? url.hostname}:${url.port || 5432}${url.pathname}`;
}
