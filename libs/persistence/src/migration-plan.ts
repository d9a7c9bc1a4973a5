import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { MigrationOptions } from './migrate';
import { orderedMigrations, readSchemaState } from './schema-state';

/** A migration that a schema lacks. */
export interface PlannedMigration {
  name: string;
  /** Its statements; undefined where they depend on what the database holds. */
  sql?: readonly string[];
}

/** The migrations that `prepareSchema` would run, in their order. Changes nothing. */
export async function planMigrations(options: MigrationOptions): Promise<PlannedMigration[]> {
  const { missing } = await readSchemaState(options);
  const own = orderedMigrations(options.migrations);
  return Promise.all(missing.map(async (name) => ({ name, sql: await simpleSql(own.get(name)!) })));
}

async function simpleSql(migration: MigrationInterface) {
  const sql = await recordSql(migration).catch(() => undefined);
  return sql?.some((text) => /^\s*(select|with)\b/i.test(text)) ? undefined : sql;
}

/**
 * The statements of a migration, without a database: each gets no rows as its answer.
 * @throws Error where the migration needs rows, or more than `query` of its runner.
 */
export async function recordSql(migration: MigrationInterface): Promise<string[]> {
  const recorded: string[] = [];
  const recorder = new Proxy({} as QueryRunner, {
    get: (_, property) => {
      if (property !== 'query') throw new Error(`A migration used ${String(property)} of its query runner`);
      return (text: string) => {
        recorded.push(text);
        return Promise.resolve([]);
      };
    },
  });
  await migration.up(recorder);
  return recorded;
}
