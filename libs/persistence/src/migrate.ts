import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { advisoryClass } from './advisory';

/** Second half of the lock's key; the first is the schema's. */
const MIGRATION_LOCK = 0;

/**
 * Runs the missing migrations, each in its own transaction. When many processes start at once, one migrates and the others wait
 * for its lock; a process that dies releases the lock with its connection.
 */
export async function migrate(dataSource: DataSource, schema: string): Promise<void> {
  const runner = dataSource.createQueryRunner('master');
  try {
    await runner.connect();
    // Waiting for another process, and rewriting a table, may take long.
    await runner.query('SET statement_timeout = 0');
    await runner.query('SELECT pg_advisory_lock($1, $2)', [advisoryClass('migrations', schema), MIGRATION_LOCK]);
    await ensureSchema(runner, schema);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
    await runner.query('SELECT pg_advisory_unlock($1, $2)', [advisoryClass('migrations', schema), MIGRATION_LOCK]);
    await runner.query('RESET statement_timeout');
  } catch (error) {
    // The connection must not return to the pool with the lock; a lost connection has released it.
    await runner.query('SELECT pg_advisory_unlock_all()').catch(() => {});
    throw error;
  } finally {
    await runner.release();
  }
}

/** `IF NOT EXISTS` would require the CREATE privilege even if the schema exists. */
async function ensureSchema(runner: QueryRunner, schema: string) {
  const rows = (await runner.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])) as object[];
  if (rows.length === 0) await runner.query(`CREATE SCHEMA "${schema}"`);
}
