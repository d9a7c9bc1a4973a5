import { escapeIdentifier } from 'pg';
import type { MigrationInterface } from 'typeorm';
import { connectionConfig } from './connection';
import { DedicatedConnection } from './dedicated-connection';
import type { SchemaOptions } from './make-data-source';
import { missingRoleSettings } from './role-settings';

/** Time limit of each answer, in ms. */
const ANSWER_MS_MAX = 15_000;

/** How the migrations of a schema compare with those of this version, by name. */
export interface SchemaState {
  /** Those that the schema lacks, in the order in which they run. */
  missing: string[];
  /** Those that this version does not know. */
  newer: string[];
  /** Settings that the role of the schema lacks in this database. */
  missingSettings: string[];
}

type StateOptions = Pick<SchemaOptions, 'databaseUrl' | 'directUrl' | 'schema' | 'migrations'> & { role?: string };

/** Name of a migration as TypeORM records it. */
const nameOf = ({ name, constructor }: MigrationInterface) => name ?? constructor.name;
/** A name ends with the time at which the migration was written, in ms: the order in which they run. */
const TIME_DIGITS = 13;
const timeOf = (migration: MigrationInterface) => Number(nameOf(migration).slice(-TIME_DIGITS));

/** The migrations in the order in which they run, by name. */
export function orderedMigrations(migrations: SchemaOptions['migrations']): Map<string, MigrationInterface> {
  const ordered = migrations.map((Migration) => new Migration()).sort((a, b) => timeOf(a) - timeOf(b));
  return new Map(ordered.map((migration) => [nameOf(migration), migration]));
}

/**
 * Reads the state of a schema and changes nothing. A schema or role that does not exist has none of the migrations and settings.
 * @throws ServiceError `unavailable` when the database cannot be reached, or PostgreSQL's error.
 */
export async function readSchemaState({ databaseUrl, directUrl, schema, migrations, role }: StateOptions): Promise<SchemaState> {
  const config = connectionConfig({ databaseUrl: directUrl ?? databaseUrl, schema });
  const connection = await DedicatedConnection.open({ ...config, query_timeout: ANSWER_MS_MAX });
  try {
    const [owner] = await connection.query<{ name: string }>(
      'SELECT rolname AS name FROM pg_roles WHERE rolname = coalesce($1, current_user)',
      [role],
    );
    const own = orderedMigrations(migrations);
    if (!owner) return { missing: [...own.keys()], newer: [], missingSettings: [] };
    if (role !== undefined) await connection.query(`SET ROLE ${escapeIdentifier(role)}`);
    const recorded = new Set(await recordedMigrations(connection, schema));
    return {
      missing: [...own.keys()].filter((name) => !recorded.has(name)),
      newer: [...recorded].filter((name) => !own.has(name)),
      missingSettings: await missingRoleSettings(connection, owner.name, schema),
    };
  } finally {
    connection.close();
  }
}

async function recordedMigrations(connection: DedicatedConnection, schema: string) {
  const table = `${escapeIdentifier(schema)}.migrations`;
  const [found] = await connection.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [table]);
  if (!found!.exists) return [];
  const rows = await connection.query<{ name: string }>(`SELECT name FROM ${table} ORDER BY id`);
  return rows.map(({ name }) => name);
}
