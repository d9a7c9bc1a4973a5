import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { provisionDatabase, type ProvisionedRole, PROVISIONED_ROLES } from './provision';

const PASSWORDS = Object.fromEntries(PROVISIONED_ROLES.map((role) => [role, `${role}'s "password" \\ % / @ :`])) as Record<
  ProvisionedRole,
  string
>;

/** Roles outlive databases and are shared by all specs of the run, so these tests use their own. */
const OPTIONS = { rolePrefix: 'spec_provision_', passwords: PASSWORDS };

/** Test databases are provisioned for the run's roles; these tests provision them for their own. */
const DROP_SCHEMAS = 'DROP SCHEMA IF EXISTS identity, audience, messaging, content, events CASCADE';

const INSUFFICIENT_PRIVILEGE = '42501';
const NOT_ITS_OWN = {
  'read another service’s table': 'SELECT * FROM identity.profiles',
  'change another service’s table': 'DELETE FROM identity.profiles',
  'create in another service’s schema': 'CREATE TABLE identity.intruder ()',
  'create in the public schema': 'CREATE TABLE public.intruder ()',
  'create in the event log’s schema': 'CREATE TABLE events.intruder ()',
  'create a schema': 'CREATE SCHEMA intruder',
  'create temporary tables': 'CREATE TEMPORARY TABLE intruder ()',
  'become another role': 'SET ROLE spec_provision_identity',
  'create a role': 'CREATE ROLE intruder',
};

async function run<Row = Record<string, unknown>>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows as Row[];
    return rows;
  } finally {
    await client.end();
  }
}

describe('provisioning', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await database.drop();
  });

  it('creates a schema for every service, owned by its role', async () => {
    const urls = await provisionFresh();

    const rows = await run(
      urls.identity,
      'CREATE TABLE identity.mine AS SELECT 7 AS n',
      'SELECT n, current_user AS who FROM identity.mine',
    );

    expect(rows).toEqual([{ n: 7, who: expect.stringMatching(/identity$/) as unknown }]);
  });

  it('denies a service access outside its schema', async () => {
    const urls = await provisionFresh();
    await run(urls.identity, 'CREATE TABLE identity.profiles ()');
    const refusals: Record<string, unknown> = {};

    for (const [what, statement] of Object.entries(NOT_ITS_OWN))
      refusals[what] = await run(urls.audience, statement).catch(({ code }: { code: string }) => code);

    expect(refusals).toEqual(Object.fromEntries(Object.keys(NOT_ITS_OWN).map((what) => [what, INSUFFICIENT_PRIVILEGE])));
  });

  it('lets every role, the gateway’s too, use the event log’s schema as its owner allows', async () => {
    const urls = await provisionFresh();
    await run(urls.events, 'CREATE TABLE events.log (n int)', 'GRANT INSERT ON events.log TO spec_provision_gateway');

    await run(urls.gateway, 'INSERT INTO events.log VALUES (1)');

    await expect(run(urls.events, 'SELECT n FROM events.log')).resolves.toEqual([{ n: 1 }]);
    await expect(run(urls.gateway, 'CREATE TABLE events.mine ()')).rejects.toMatchObject({ code: '42501' });
  });

  it('names the owner of an existing schema', async () => {
    await run(database.adminUrl, DROP_SCHEMAS, 'CREATE SCHEMA content');

    await expect(provisionDatabase(database.adminUrl, OPTIONS)).rejects.toThrow(
      /"content" belongs to role .* instead of "spec_provision_content"/,
    );
  });

  it('denies other roles the connection', async () => {
    const urls = await provisionFresh();
    const stranger = new URL(urls.gateway);
    stranger.username = 'spec_stranger';
    await run(
      database.adminUrl,
      `DO $$ BEGIN CREATE ROLE spec_stranger LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
      `ALTER ROLE spec_stranger PASSWORD 'x'`,
    );
    stranger.password = 'x';

    await expect(run(stranger.toString(), 'SELECT 1')).rejects.toMatchObject({ code: '42501' });
  });

  it('may run many times at once, in one database and in several of a cluster', async () => {
    const others = await Promise.all([1, 2, 3].map(() => createTestDatabase()));
    await Promise.all([...others, database].map(({ adminUrl }) => run(adminUrl, DROP_SCHEMAS)));
    const targets = [...others, ...others, ...others, database].map(({ adminUrl }) => adminUrl);
    const options = { ...OPTIONS, rolePrefix: `spec_many_${Date.now().toString(36)}_` };

    const results = await Promise.all(targets.map((adminUrl) => provisionDatabase(adminUrl, options)));

    const users = await Promise.all(
      results.flatMap((urls) => PROVISIONED_ROLES.map((role) => run(urls[role], 'SELECT current_user AS who'))),
    );
    expect(users).toEqual(results.flatMap(() => PROVISIONED_ROLES.map((role) => [{ who: options.rolePrefix + role }])));
    await Promise.all(others.map((other) => other.drop()));
  });

  it('generates missing passwords, and does not change them when repeated', async () => {
    await run(database.adminUrl, DROP_SCHEMAS);
    const options = { rolePrefix: `spec_random_${Date.now().toString(36)}_` };
    const first = await provisionDatabase(database.adminUrl, options);

    const second = await provisionDatabase(database.adminUrl, options);

    expect(new URL(first.identity).password).toMatch(/^[\w-]{43}$/);
    expect(new Set(Object.values(first).map((url) => new URL(url).password)).size).toBe(PROVISIONED_ROLES.length);
    expect(new URL(second.identity).password).toBe('');
    await expect(run(first.identity, 'SELECT 1 AS n')).resolves.toEqual([{ n: 1 }]);
  });

  it('sets a new password for a role that exists', async () => {
    const old = await provisionFresh();

    const urls = await provisionDatabase(database.adminUrl, { ...OPTIONS, passwords: { ...PASSWORDS, content: 'new' } });

    await expect(run(urls.content, 'SELECT 1 AS n')).resolves.toEqual([{ n: 1 }]);
    await expect(run(old.content, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('needs no superuser, only the database’s owner with the right to create roles', async () => {
    const name = `spec_owner_${Date.now().toString(36)}`;
    const databaseName = new URL(database.adminUrl).pathname.slice(1);
    await run(database.adminUrl, `CREATE ROLE ${name} LOGIN CREATEROLE PASSWORD 'x'`, `ALTER DATABASE "${databaseName}" OWNER TO ${name}`);
    await run(database.adminUrl, DROP_SCHEMAS);
    const owner = new URL(database.adminUrl);
    owner.username = name;
    owner.password = 'x';

    const urls = await provisionDatabase(owner.toString(), { rolePrefix: `${name}_` });

    await expect(run(urls.messaging, 'CREATE TABLE messaging.t AS SELECT 1 AS n', 'SELECT n FROM messaging.t')).resolves.toEqual([
      { n: 1 },
    ]);
    await expect(provisionDatabase(owner.toString(), { rolePrefix: `${name}_` })).resolves.toBeDefined();
  });

  it('names host and port, and no password, when PostgreSQL is unavailable', async () => {
    const unavailable = provisionDatabase('postgres://admin:secret@127.0.0.1:1/tidings');

    await expect(unavailable).rejects.toThrow(/127\.0\.0\.1:1\/tidings cannot be reached/);
    await expect(unavailable).rejects.not.toThrow(/secret/);
  });

  async function provisionFresh(): Promise<Record<ProvisionedRole, string>> {
    await run(database.adminUrl, DROP_SCHEMAS);
    return provisionDatabase(database.adminUrl, OPTIONS);
  }
});
