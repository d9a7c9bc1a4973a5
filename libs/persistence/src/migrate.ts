import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { escapeIdentifier } from 'pg';
import { MigrationExecutor, QueryFailedError, type QueryRunner } from 'typeorm';
import { advisoryClass } from './advisory';
import { describeTarget } from './connection';
import { reasonOf } from './errors';
import { LOCK_TIMEOUT_MS } from './lock-timeout';
import { makeDataSource, type SchemaOptions } from './make-data-source';
import { alterRole, missingRoleSettings, roleSettings, setSession } from './role-settings';
import { readSchemaState } from './schema-state';

const logger = new Logger('Migrations');

/** Second half of the lock's key; the first is the schema's. */
const MIGRATION_LOCK = 0;
/** Interval at which a process looks whether another one has migrated, in ms. */
const LOCK_POLL_MS = 250;

/** Attempts of a migration that did not get its locks. With the pauses between them these are about 5 minutes. */
const ATTEMPTS_MAX = 30;
const PAUSE_MS_FIRST = 500;
const PAUSE_MS_MAX = 10_000;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** What a migration needs; `role` is set where the role of the URL is another one that may become the owner of the schema. */
export type MigrationOptions = Pick<SchemaOptions, 'databaseUrl' | 'directUrl' | 'schema' | 'migrate' | 'migrations'> & { role?: string };

/**
 * Migrates a schema that lacks migrations, or with `migrate: 'never'` refuses it. Migrations of a newer version than this one are no
 * obstacle: each version works on the schema of the next. Resolves with the names of the migrations that were missing.
 * @throws Error with the reason; its cause is transient where the schema may become usable without a restart.
 */
export async function prepareSchema(options: MigrationOptions): Promise<string[]> {
  const url = options.directUrl ?? options.databaseUrl;
  let state;
  try {
    state = await readSchemaState(options);
    if (state.newer.length > 0) logger.log(`Schema "${options.schema}" has migrations of a newer version: ${state.newer.join(', ')}`);
    if (options.migrate === 'never') assertComplete(options.schema, state);
  } catch (error) {
    throw cannotBeUsed(options, url, error);
  }
  if (state.missing.length === 0 && state.missingSettings.length === 0) return [];
  try {
    await runMigrations(options, url);
    return state.missing;
  } catch (error) {
    throw new Error(`Schema "${options.schema}" at ${describeTarget(url)} could not be migrated: ${reasonOf(error)}`, { cause: error });
  }
}

/** The error of a database that cannot be used, with its address and without secrets. */
export function cannotBeUsed({ schema }: Pick<SchemaOptions, 'schema'>, url: string, error: unknown): Error {
  return new Error(`PostgreSQL at ${describeTarget(url)} cannot be used for "${schema}": ${reasonOf(error)}`, { cause: error });
}

function assertComplete(schema: string, { missing, missingSettings }: { missing: string[]; missingSettings: string[] }) {
  const refuse = (lacking: string) => {
    throw new ServiceError('unavailable', `${lacking}: run \`tidings migrate\` of this version (TIDINGS_MIGRATE is never)`);
  };
  if (missing.length > 0)
    refuse(`schema "${schema}" lacks ${missing.length === 1 ? 'the migration' : 'the migrations'} ${missing.join(', ')}`);
  if (missingSettings.length > 0) refuse(`the role of schema "${schema}" lacks its settings in this database`);
}

/** Runs the missing migrations on one connection, each in its own transaction unless it says otherwise. */
async function runMigrations(options: MigrationOptions, databaseUrl: string) {
  const { schema, role } = options;
  const dataSource = makeDataSource({ schema, migrations: options.migrations, databaseUrl, entities: [], poolSize: 1 });
  await dataSource.initialize();
  try {
    const runner = dataSource.createQueryRunner('master');
    await runner.connect();
    const connection = connectionOf(runner);
    // Without limit, since building an index of a large table takes long; the lock timeout limits what others wait for.
    await setSession(connection, { ...roleSettings(schema), statement_timeout: '0', idle_in_transaction_session_timeout: '0' });
    await acquireLock(runner, schema);
    await runner.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    if (role === undefined) await giveSettings(runner, schema);
    else await runner.query(`SET ROLE ${escapeIdentifier(role)}`);
    await ensureSchema(runner, schema);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    await retryLocks(schema, () => executor.executePendingMigrations());
    await runner.release();
  } finally {
    await dataSource.destroy(); // ends the connection, and with it the lock
  }
}

/**
 * One process migrates at a time. It polls: a session that waits for a lock inside a statement would block CREATE INDEX CONCURRENTLY,
 * which waits for every older statement.
 */
async function acquireLock(runner: QueryRunner, schema: string) {
  for (let waited = 0; ; waited += 1) {
    const [row] = (await runner.query('SELECT pg_try_advisory_lock($1, $2) AS got', [
      advisoryClass('migrations', schema),
      MIGRATION_LOCK,
    ])) as [{ got: boolean }];
    if (row.got) return;
    if (waited === 0) logger.log(`Waiting for another process that migrates schema "${schema}"`);
    await delay(LOCK_POLL_MS);
  }
}

/** Repeats migrations that did not get a lock in time; those before it stay. */
async function retryLocks(schema: string, migrate: () => Promise<unknown>) {
  for (let attempt = 1, pauseMs = PAUSE_MS_FIRST; ; attempt += 1, pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    try {
      await migrate();
      return;
    } catch (error) {
      if (!isLockRefused(error) || attempt === ATTEMPTS_MAX) throw error;
      logger.warn(`A migration of schema "${schema}" did not get a lock in ${LOCK_TIMEOUT_MS} ms; retrying in ${pauseMs} ms`);
      await delay(pauseMs);
    }
  }
}

function isLockRefused(error: unknown) {
  const { code } = error instanceof QueryFailedError ? (error.driverError as { code?: string }) : {};
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
}

/** A role of an earlier version has no settings yet; every role may give itself some. */
async function giveSettings(runner: QueryRunner, schema: string) {
  const [row] = (await runner.query('SELECT current_user AS role, current_database() AS database')) as [{ role: string; database: string }];
  const missing = await missingRoleSettings(connectionOf(runner), row.role, schema);
  if (missing.length > 0) await runner.query(alterRole(row.role, row.database, schema, missing));
}

/** `IF NOT EXISTS` would require the CREATE privilege even if the schema exists. */
async function ensureSchema(runner: QueryRunner, schema: string) {
  const rows = (await runner.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])) as object[];
  if (rows.length === 0) await runner.query(`CREATE SCHEMA "${schema}"`);
}

const connectionOf = (runner: QueryRunner) => ({
  query: <Row extends object>(text: unknown, values?: readonly unknown[]) =>
    runner.query(text as string, values as unknown[] | undefined) as Promise<Row[]>,
});
