/** Values of postgresql.conf by name. */
export type PostgresSettings = Readonly<Record<string, string | number>>;

/** A server for one machine and a few processes: small, quiet while nobody asks, reachable from this machine alone. */
const COMMON: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  // Several servers on one machine would meet in the socket's folder.
  unix_socket_directories: '',
  max_connections: 60,
  superuser_reserved_connections: 3,
  shared_buffers: '32MB',
  huge_pages: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  // No replication is offered; without it the log of changes is smaller.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  wal_compression: 'on',
  min_wal_size: '80MB',
  max_wal_size: '512MB',
  checkpoint_timeout: '10min',
  autovacuum_naptime: '3min',
  // A transaction of ours lasts milliseconds; one that was forgotten must not hold back vacuum for ever.
  idle_in_transaction_session_timeout: '60s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements carry customers' data; errors of statements reach whoever made them.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

/** For data that ends with the process: nothing is ever forced to disk. */
const FORGETFUL: PostgresSettings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** What a server of PostgreSQL `major` runs with. */
export function serverSettings(major: number, durable: boolean, overrides: PostgresSettings = {}): PostgresSettings {
  return {
    ...COMMON,
    // From 18 on reading has processes of its own, which an idle little server does not need.
    ...(major >= 18 ? { io_method: 'sync' } : {}),
    ...(durable ? {} : FORGETFUL),
    ...overrides,
  };
}

/** Arguments of initdb that fix how text is stored and compared: UTF-8, by code point, the same on every machine. */
export function textArguments(major: number): string[] {
  if (major >= 17) return ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  return ['--encoding=UTF8', process.platform === 'linux' ? '--locale=C.UTF-8' : '--locale=C'];
}
