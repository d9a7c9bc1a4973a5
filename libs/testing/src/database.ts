import './quiet';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type ProvisionedRole, PROVISIONED_ROLES, provisionDatabase } from '@tidings/persistence/provision';
import { Client } from 'pg';
import { testPostgresUrl } from './test-postgres-url';

const CONNECT_TIMEOUT_MS = 10_000;
/** Takes a third of the default strategy's time, which writes every page to the write-ahead log. */
const COPY = 'STRATEGY FILE_COPY';

/** Migration of test databases. */
export interface Migration {
  /** Databases of one run with the same key are copies of the first one. */
  key: string;
  /** Migrates the provisioned database. Must close its connections. */
  run(database: TestDatabase): Promise<void>;
}

export interface TestDatabaseOptions {
  migrate?: Migration;
}

/** A database of one test file; its roles are provisioned. */
export interface TestDatabase {
  /** Connects to this database as superuser. */
  readonly adminUrl: string;
  /** Connects to this database as a role; roles have the names of services. */
  urlOf(role: ProvisionedRole): string;
  /** Deletes the database, also with open connections. */
  drop(): Promise<void>;
}

/**
 * Creates a database on the PostgreSQL of this jest run, with schemas and roles. Every call creates a new one, so spec files and
 * tests are isolated.
 */
export async function createTestDatabase({ migrate }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const cluster = testPostgresUrl();

  const name = `test_${process.env.JEST_WORKER_ID ?? '0'}_${randomBytes(6).toString('hex')}`;
  if (!migrate) return freshDatabase(cluster, name);

  const template = await templateOf(cluster, migrate);
  await onCluster(cluster, (client) => client.query(`CREATE DATABASE ${quoted(name)} TEMPLATE ${quoted(template)} ${COPY}`));
  // A copy does not include the privileges on the database itself.
  return provisioned(cluster, name);
}

async function freshDatabase(cluster: string, name: string): Promise<TestDatabase> {
  await onCluster(cluster, (client) => client.query(`CREATE DATABASE ${quoted(name)} ${COPY}`));
  return provisioned(cluster, name);
}

/** The template of a key; the first worker creates it, the others wait for it. */
function templateOf(cluster: string, { key, run }: Migration): Promise<string> {
  const digest = createHash('sha256').update(key).digest('hex');
  const name = `template_${digest.slice(0, 40)}`;
  return onCluster(cluster, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount) return name;

    const draft = await freshDatabase(cluster, `draft_${randomBytes(6).toString('hex')}`);
    try {
      await run(draft);
    } catch (error) {
      await draft.drop();
      throw error;
    }
    // Renamed only when finished, so that a failed migration leaves no template.
    await client.query(`ALTER DATABASE ${quoted(nameOf(draft))} RENAME TO ${quoted(name)}`);
    return name;
  });
}

async function provisioned(cluster: string, name: string): Promise<TestDatabase> {
  const adminUrl = urlFor(cluster, name);
  const urls = await provisionDatabase(adminUrl, { passwords: passwordsOf(cluster) });
  return {
    adminUrl,
    urlOf: (role) => urls[role],
    drop: async () => {
      await onCluster(cluster, (client) => client.query(`DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`));
    },
  };
}

/** Passwords derived from the cluster's own: roles are shared by all workers of the cluster. */
function passwordsOf(cluster: string): Record<ProvisionedRole, string> {
  const secret = new URL(cluster).password;
  const passwords = PROVISIONED_ROLES.map((role) => [role, createHmac('sha256', secret).update(role).digest('base64url')]);
  return Object.fromEntries(passwords) as Record<ProvisionedRole, string>;
}

async function onCluster<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlFor(cluster: string, database: string): string {
  const url = new URL(cluster);
  url.pathname = `/${database}`;
  return url.href;
}

const nameOf = ({ adminUrl }: TestDatabase): string => new URL(adminUrl).pathname.slice(1);

/** All names are generated here, without quotes or NUL. */
const quoted = (name: string): string => `"${name}"`;
