/** Values of postgresql.conf by name. */
export type PostgresSettings = Readonly<Record<string, string | number>>;

/** A server for one machine and a few processes: small, idle without queries, reachable from this machine alone. */
const COMMON: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  // Several servers on one machine would share the socket's folder.
  unix_socket_directories: '',
  max_connections: 60,
  superuser_reserved_connections: 3,
  shared_buffers: '32MB',
  huge_pages: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  // There is no replication; without it the WAL is smaller.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  wal_compression: 'on',
  min_wal_size: '80MB',
  max_wal_size: '512MB',
  checkpoint_timeout: '10min',
  autovacuum_naptime: '3min',
  // Transactions last milliseconds; an abandoned one must not block vacuum forever.
  idle_in_transaction_session_timeout: '60s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements contain customers' data; clients receive the errors of their statements.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

/** The settings of a server of PostgreSQL `major`. */
export function serverSettings(major: number, durable: boolean, overrides: PostgresSettings = {}): PostgresSettings {
  return {
    ...COMMON,
    // Since version 18 reads have worker processes of their own, which a small server does not need.
    ...(major >= 18 ? { io_method: 'sync' } : {}),
    // No fsync for data that ends with the process.
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...overrides,
  };
}

/** Arguments of initdb for text: UTF-8, compared by code point on every machine. */
export function textArguments(major: number) {
  if (major >= 17) return ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  return ['--encoding=UTF8', process.platform === 'linux' ? '--locale=C.UTF-8' : '--locale=C'];
}
