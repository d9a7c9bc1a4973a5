import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg';
import { advisoryClass } from './advisory';
import { assertPlainIdentifier, describeTarget, parseDatabaseUrl } from './connection';
import { reasonOf } from './errors';
import { alterRole, missingRoleSettings } from './role-settings';
import { isVerifierOf, scramVerifier } from './scram';

/** Roles with a schema of their own name. `events` is the embedded event log's. */
const OWNERS = ['identity', 'audience', 'messaging', 'content', 'events'] as const;
/** The gateway owns no data; it appends to and reads the embedded event log. */
export const PROVISIONED_ROLES = [...OWNERS, 'gateway'] as const;
export type ProvisionedRole = (typeof PROVISIONED_ROLES)[number];

interface ProvisionOptions {
  /** Prefix of role names. All databases of a cluster share its roles. Default `tidings_`. */
  rolePrefix?: string;
  /**
   * Passwords to set, printable ASCII. A new role without one gets a random password; an existing role's password stays, and
   * its URL is returned without one.
   */
  passwords?: Partial<Record<ProvisionedRole, string>>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const PASSWORD_BYTES = 32;
/** Attempts while other processes provision the same cluster; each collision means that one of them progressed. */
const ATTEMPTS_MAX = 40;
const ATTEMPT_DELAY_MS_MAX = 50;

/**
 * Creates the schemas and roles of every service in the database of `adminUrl`, and returns the URL of each role. A role has
 * access to its own schema only. Safe when repeated, and when many processes call it at once, in one database or in several of
 * one cluster.
 * @param adminUrl a superuser, or the database's owner with CREATEROLE.
 */
export async function provisionDatabase(adminUrl: string, options: ProvisionOptions = {}): Promise<Record<ProvisionedRole, string>> {
  const url = parseDatabaseUrl(adminUrl);
  const prefix = assertPlainIdentifier(options.rolePrefix ?? 'tidings_');
  const client = new Client({
    connectionString: adminUrl,
    application_name: 'tidings-provision',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => {}); // a lost connection also fails the running statement
  try {
    await client.connect();
  } catch (error) {
    void client.end().catch(() => {});
    throw new Error(`PostgreSQL at ${describeTarget(adminUrl)} cannot be reached for provisioning: ${reasonOf(error)}`, { cause: error });
  }
  try {
    const urls: Partial<Record<ProvisionedRole, string>> = {};
    for (const role of PROVISIONED_ROLES) {
      const password = await ensureRole(client, prefix + role, options.passwords?.[role]);
      urls[role] = urlOf(url, prefix + role, password);
    }
    await retryCollisions(() => grant(client, prefix));
    return urls as Record<ProvisionedRole, string>;
  } finally {
    await client.end();
  }
}

/** Creates the role or updates its password; returns the password if known. */
async function ensureRole(client: Client, role: string, given: string | undefined) {
  const name = escapeIdentifier(role);
  const { rowCount: found } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (!found) {
    const password = given ?? randomBytes(PASSWORD_BYTES).toString('base64url');
    const verifier = escapeLiteral(await scramVerifier(password));
    try {
      await client.query(`CREATE ROLE ${name} LOGIN PASSWORD ${verifier}`);
      return password;
    } catch (error) {
      if (!alreadyThere(error)) throw error; // another process was faster
    }
  }
  if (given === undefined) return undefined;
  // All databases of the cluster share roles, so an unneeded ALTER could collide with other processes.
  if (await hasPassword(client, role, given)) return given;
  const verifier = escapeLiteral(await scramVerifier(given));
  await retryCollisions(() => client.query(`ALTER ROLE ${name} LOGIN PASSWORD ${verifier}`));
  return given;
}

/** Whether the role has this password; false when the current user may not read `pg_authid`. */
async function hasPassword(client: Client, role: string, password: string) {
  const privilege = await client.query<{ may: boolean }>(`SELECT has_table_privilege('pg_catalog.pg_authid', 'SELECT') AS may`);
  if (!privilege.rows[0]?.may) return false;
  const { rows } = await client.query<{ verifier: string | null }>(
    'SELECT rolpassword AS verifier FROM pg_catalog.pg_authid WHERE rolname = $1 AND rolcanlogin',
    [role],
  );
  return isVerifierOf(rows[0]?.verifier ?? '', password);
}

/** Creates schemas with their owners, grants and revokes privileges; one transaction at a time per database. */
async function grant(client: Client, prefix: string) {
  const role = (owner: string) => escapeIdentifier(prefix + owner);
  const everyRole = PROVISIONED_ROLES.map(role).join(', ');
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, 0)', [advisoryClass('provision', 'database')]);
    const { rows } = await client.query<{ database: string; superuser: boolean }>(
      'SELECT current_database() AS database, rolsuper AS superuser FROM pg_roles WHERE rolname = current_user',
    );
    const { database, superuser } = rows[0]!;
    // Only a member of a role may make it an owner; a superuser counts as member of every role.
    if (!superuser) await client.query(`GRANT ${OWNERS.map(role).join(', ')} TO CURRENT_USER`);
    const name = escapeIdentifier(database);
    const schemas = OWNERS.map((owner) => `CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(owner)} AUTHORIZATION ${role(owner)}`);
    await client.query(`
      REVOKE ALL ON DATABASE ${name} FROM PUBLIC;
      GRANT CONNECT ON DATABASE ${name} TO ${everyRole};
      REVOKE ALL ON SCHEMA public FROM PUBLIC;
      ${schemas.join('; ')}`);
    await assertOwners(client, prefix);
    await client.query(`GRANT USAGE ON SCHEMA events TO ${everyRole}`);
    for (const owner of OWNERS) await giveSettings(client, prefix + owner, database, owner);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Only what is missing: every ALTER writes a catalog that all databases of the cluster share. */
async function giveSettings(client: Client, role: string, database: string, schema: string) {
  const connection = {
    query: async <Row extends object>(text: unknown, values: readonly unknown[] = []) =>
      (await client.query<Row>(text as string, [...values])).rows,
  };
  const missing = await missingRoleSettings(connection, role, schema);
  if (missing.length > 0) await client.query(alterRole(role, database, schema, missing));
}

/** Fails early when an existing schema belongs to another role: its service would be refused much later. */
async function assertOwners(client: Client, prefix: string) {
  const { rows } = await client.query<{ schema: string; owner: string }>(
    `SELECT nspname AS schema, pg_get_userbyid(nspowner) AS owner FROM pg_namespace
     WHERE nspname = ANY ($1) AND pg_get_userbyid(nspowner) <> $2 || nspname`,
    [OWNERS, prefix],
  );
  for (const { schema, owner } of rows) throw new Error(`Schema "${schema}" belongs to role "${owner}" instead of "${prefix}${schema}"`);
}

const DUPLICATE_OBJECT = '42710';
const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';

const alreadyThere = (error: unknown) =>
  error instanceof DatabaseError && (error.code === DUPLICATE_OBJECT || error.code === UNIQUE_VIOLATION);

/** All databases of a cluster share the role catalogs, and advisory locks do not span databases; collisions are errors. */
const collided = (error: unknown) =>
  alreadyThere(error) ||
  (error instanceof DatabaseError && (error.code === DEADLOCK || /tuple concurrently (updated|deleted)/.test(error.message)));

async function retryCollisions<R>(action: () => Promise<R>) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !collided(error)) throw error;
      await delay(Math.random() * ATTEMPT_DELAY_MS_MAX);
    }
  }
}

function urlOf(adminUrl: URL, role: string, password: string | undefined) {
  const url = new URL(adminUrl);
  url.username = role;
  url.password = password === undefined ? '' : encodeURIComponent(password);
  return url.toString();
}
