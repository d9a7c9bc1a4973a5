import type { PoolConfig } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 10_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
const DEFAULT_POOL_SIZE = 10;

/** An answer this long after the server's own time limit counts as lost, in ms: the server or the network is down. */
export const ANSWER_GRACE_MS = 5_000;

/** How an operator connects services to PostgreSQL. */
export interface DatabaseSettings {
  /**
   * Connects to the server without a pooler, for LISTEN, session locks and migrations. Default: the database URL, which then leads
   * to the server, or to a pooler in session mode.
   */
  directUrl?: string;
  /** Maximum connections of the pool. Default 10. */
  poolSize?: number;
  /** The database URL leads to a pooler whose server connections change between transactions: no statement gets a name. */
  isTransactionPooled?: boolean;
  /** `start` migrates the schema when it is opened, `never` refuses one that lacks migrations. Default `start`. */
  migrate?: 'start' | 'never';
}

export interface ConnectionOptions extends DatabaseSettings {
  /** `postgres://user:password@host:port/database`. The role has the settings of `role-settings.ts`. */
  databaseUrl: string;
  /** The one schema whose names need no prefix. */
  schema: string;
  /** When the server cancels a statement, in ms. Default: the role's, 15 s. */
  statementTimeoutMs?: number;
}

/** Schemas and roles are put into SQL unquoted, so only plain lower-case names are accepted. */
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

/**
 * Configuration of the driver for a service's connections, pooled or not. It sends no settings at the start of a connection, which
 * poolers refuse: those are the role's.
 */
export function connectionConfig(options: ConnectionOptions): PoolConfig {
  const schema = assertPlainIdentifier(options.schema);
  return {
    connectionString: parseDatabaseUrl(options.databaseUrl).toString(),
    application_name: `tidings-${schema}`,
    max: options.poolSize ?? DEFAULT_POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    onConnect: (client) => void client.on('error', ignoreError),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    statement_timeout: options.statementTimeoutMs,
  };
}

/** Host, port and database of a URL, without its secrets, for messages. */
export function describeTarget(databaseUrl: string): string {
  const url = parseDatabaseUrl(databaseUrl);
  return `${url.searchParams.get('host') ?? url.hostname}:${url.port || 5432}${url.pathname}`;
}
