import { escapeIdentifier, escapeLiteral } from 'pg';
import { assertPlainIdentifier } from './connection';
import type { Queryable } from './transaction';

/** When the server cancels a statement of a service, in ms. */
export const STATEMENT_TIMEOUT_MS = 15_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/** What ALTER ROLE needs: of `pg`'s clients and of our connections. */
type Runs = Pick<Queryable, 'query'>;

/**
 * Settings of a service's connections. They belong to its role in the database (`ALTER ROLE … IN DATABASE`): a pooler refuses
 * parameters at the start of a connection, and shares connections between clients.
 *
 * Few of our statements need a whole table, and only small ones. PostgreSQL plans a sequential scan while a table is small, and
 * connections use that plan until the table is analyzed, even when it has millions of rows by then. With `enable_seqscan=off`,
 * versions before 18 rate an unavoidable scan so expensive that they would compile the statement each time.
 */
export function roleSettings(schema: string): Readonly<Record<string, string>> {
  return {
    search_path: assertPlainIdentifier(schema),
    enable_seqscan: 'off',
    jit: 'off',
    statement_timeout: `${STATEMENT_TIMEOUT_MS}ms`,
    idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_TIMEOUT_MS}ms`,
  };
}

/**
 * Names of the settings that a role lacks in this database. A setting with another value is an operator's choice and stays.
 * @throws Error where the role's `search_path` is not the schema: it is set up for another service.
 */
export async function missingRoleSettings(connection: Runs, role: string, schema: string): Promise<string[]> {
  const rows = await connection.query<{ setting: string }>(
    `SELECT unnest(s.setconfig) AS setting FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
     JOIN pg_roles r ON r.oid = s.setrole WHERE d.datname = current_database() AND r.rolname = $1`,
    [role],
  );
  const present = new Map(rows.map(({ setting }) => [setting.slice(0, setting.indexOf('=')), setting.slice(setting.indexOf('=') + 1)]));
  const path = present.get('search_path');
  if (path !== undefined && path.split(',')[0]!.trim().replaceAll('"', '') !== schema) {
    throw new Error(`Role "${role}" has search_path ${path} in this database, not ${schema}: each service needs a role of its own`);
  }
  return Object.keys(roleSettings(schema)).filter((name) => !present.has(name));
}

/** SQL that gives a role these of its settings; the role itself may run it, and who may alter the role. */
export function alterRole(role: string, database: string, schema: string, names: readonly string[]): string {
  const settings = roleSettings(schema);
  const subject = `ALTER ROLE ${escapeIdentifier(role)} IN DATABASE ${escapeIdentifier(database)}`;
  return names.map((name) => `${subject} SET ${name} TO ${escapeLiteral(settings[name]!)}`).join('; ');
}

/** Gives the connection settings that last as long as it does. Not for connections of a pooler in transaction mode. */
export async function setSession(connection: Runs, settings: Readonly<Record<string, string>>): Promise<void> {
  await connection.query('SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS given (name, value)', [
    Object.keys(settings),
    Object.values(settings),
  ]);
}
