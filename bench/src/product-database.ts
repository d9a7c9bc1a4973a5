import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { findCluster } from './process-usage';

/** Backends report statistics after a transaction, at most once a second, and after 10 s without work. */
const STATISTICS_MS = 11_000;
const CONNECT_MS_MAX = 10_000;
/** Until every backend has changed settings; an idle one reads them immediately. */
const RELOAD_MS = 300;
/** Application name of the connections of a bench. */
export const BENCH_NAME = 'bench';
const PORT_LINE = 3;

/** Rows since the statistics began. */
export interface TableRows {
  inserted: number;
  updated: number;
  deleted: number;
}

export interface DatabaseCounts {
  tables: Map<string, TableRows>;
  commits: number;
  /** Bytes of write-ahead log. */
  walBytes: number;
  /** Whole pages in it, of the first change of each page after a checkpoint. */
  fullPages: number;
  /** Bytes of tables and indexes on disk; space of deleted rows is used again. */
  storedBytes: number;
}

const ROWS = `
  SELECT n.nspname || '.' || c.relname AS name,
         sum(s.n_tup_ins)::float8 AS inserted, sum(s.n_tup_upd)::float8 AS updated, sum(s.n_tup_del)::float8 AS deleted
  FROM pg_stat_user_tables s
  JOIN pg_class c ON c.oid = coalesce(pg_partition_root(s.relid), s.relid)
  JOIN pg_namespace n ON n.oid = c.relnamespace
  GROUP BY 1`;
const TOTALS = `
  SELECT sum(xact_commit)::float8 AS commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS "walBytes",
         (SELECT wal_fpi FROM pg_stat_wal)::float8 AS "fullPages",
         (SELECT sum(pg_database_size(oid)) FROM pg_database)::float8 AS "storedBytes"
  FROM pg_stat_database`;
const DATABASES = 'SELECT datname AS name FROM pg_database WHERE datallowconn AND NOT datistemplate';

/**
 * Writes of the product's own PostgreSQL so far. First waits until all backends have reported their statistics; no work should be
 * in flight.
 */
export async function countWrites(dataDirectory: string): Promise<DatabaseCounts> {
  await delay(STATISTICS_MS);
  const tables = new Map<string, TableRows>();
  const databases = await query<{ name: string }>(dataDirectory, 'postgres', DATABASES);
  for (const { name: database } of databases) {
    for (const { name, ...rows } of await query<TableRows & { name: string }>(dataDirectory, database, ROWS)) tables.set(name, rows);
  }
  const [totals] = await query<Omit<DatabaseCounts, 'tables'>>(dataDirectory, 'postgres', TOTALS);
  return { tables, ...totals! };
}

export function writesBetween(before: DatabaseCounts, after: DatabaseCounts): DatabaseCounts {
  const tables = new Map<string, TableRows>();
  for (const [name, { inserted, updated, deleted }] of after.tables) {
    const old = before.tables.get(name) ?? { inserted: 0, updated: 0, deleted: 0 };
    tables.set(name, { inserted: inserted - old.inserted, updated: updated - old.updated, deleted: deleted - old.deleted });
  }
  return {
    tables,
    commits: after.commits - before.commits,
    walBytes: after.walBytes - before.walBytes,
    fullPages: after.fullPages - before.fullPages,
    storedBytes: after.storedBytes - before.storedBytes,
  };
}

/** Rows of all tables. */
export function rowsOf({ tables }: DatabaseCounts): TableRows {
  const sum = (field: keyof TableRows) => [...tables.values()].reduce((total, rows) => total + rows[field], 0);
  return { inserted: sum('inserted'), updated: sum('updated'), deleted: sum('deleted') };
}

/** Runs `work` while the product's PostgreSQL has these settings, which must not need a restart. */
export async function withSettings<Result>(
  dataDirectory: string,
  settings: Record<string, string>,
  work: () => Promise<Result>,
): Promise<Result> {
  const change = async (change: (name: string, value: string) => string) => {
    for (const [name, value] of Object.entries(settings)) await query(dataDirectory, 'postgres', `ALTER SYSTEM ${change(name, value)}`);
    await query(dataDirectory, 'postgres', 'SELECT pg_reload_conf()');
    await delay(RELOAD_MS);
  };
  await change((name, value) => `SET ${name} = '${value}'`);
  try {
    return await work();
  } finally {
    await change((name) => `RESET ${name}`);
  }
}

async function query<Row extends object>(dataDirectory: string, database: string, text: string): Promise<Row[]> {
  const connection = { ...serverOf(dataDirectory), database, application_name: BENCH_NAME, connectionTimeoutMillis: CONNECT_MS_MAX };
  const client = new Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<Row>(text);
    return rows;
  } finally {
    await client.end();
  }
}

/** Connects as superuser to the database of the product's schemas. Contains the password: never print it. */
export function productDatabaseUrl(dataDirectory: string): string {
  const { host, port, user, password } = serverOf(dataDirectory);
  return `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/postgres`;
}

/** @returns the one workspace that has profiles */
export async function workspaceOfProfiles(dataDirectory: string): Promise<string> {
  const rows = await query<{ id: string }>(dataDirectory, 'postgres', 'select distinct workspace_id::text as id from identity.profiles');
  if (rows.length !== 1) throw new Error(`Expected profiles of one workspace, found profiles of ${rows.length}`);
  return rows[0]!.id;
}

/** Address of the data directory's server and its superuser's password, from the file beside the cluster. */
function serverOf(dataDirectory: string): { host: string; port: number; user: string; password: string } {
  const cluster = findCluster(dataDirectory);
  if (!cluster) throw new Error(`There is no PostgreSQL cluster below ${dataDirectory}`);
  const pidFile = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(path.join(cluster, '../password'), 'utf8').trim();
  return { host: '127.0.0.1', port: Number(pidFile[PORT_LINE]), user: 'postgres', password };
}
