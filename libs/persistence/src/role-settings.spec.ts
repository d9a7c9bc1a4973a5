import { Logger } from '@nestjs/common';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { startTcpProxy } from '@tidings/testing/tcp-proxy';
import { Client } from 'pg';
import { openDataSource } from './data-source';
import { Database, statement } from './database';
import type { SchemaOptions } from './make-data-source';
import { roleSettings } from './role-settings';

// SQL because the test counts prepared statements.
const COUNT = statement('role-settings-count', 'SELECT count(*)::int AS prepared FROM pg_prepared_statements');

describe('the settings of a role', () => {
  let testDatabase: TestDatabase;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    testDatabase = await createTestDatabase();
  });

  afterEach(async () => {
    await testDatabase.drop();
  });

  const options = (): SchemaOptions => ({
    schema: 'identity',
    databaseUrl: testDatabase.urlOf('identity'),
    entities: [],
    migrations: [],
    poolSize: 1,
  });
  const role = () => new URL(testDatabase.urlOf('identity')).username;
  const database = () => new URL(testDatabase.adminUrl).pathname.slice(1);

  async function asAdmin(text: string) {
    const admin = new Client({ connectionString: testDatabase.adminUrl });
    await admin.connect();
    await admin.query(text);
    await admin.end();
  }

  const resetRole = () => asAdmin(`ALTER ROLE ${role()} IN DATABASE "${database()}" RESET ALL`);

  async function settingsOf(given: SchemaOptions) {
    const source = await openDataSource(given);
    interface Row {
      name: string;
      setting: string;
      unit: string | null;
      source: string;
    }
    const rows = await source.query<Row[]>('SELECT name, setting, unit, source FROM pg_settings WHERE name = ANY ($1)', [
      Object.keys(roleSettings('identity')),
    ]);
    await source.destroy();
    return Object.fromEntries(rows.map(({ name, setting, unit, source: from }) => [name, `${setting}${unit ?? ''} ${from}`]));
  }

  const ROLE_SETTINGS = Object.fromEntries(
    Object.entries(roleSettings('identity')).map(([name, value]) => [name, `${value} database user`]),
  );

  it('are those of its connections, which send none at their start', async () => {
    await expect(settingsOf(options())).resolves.toEqual(ROLE_SETTINGS);
  });

  it('are given by the service itself in a database that an earlier version provisioned', async () => {
    await resetRole();

    await expect(settingsOf(options())).resolves.toEqual(ROLE_SETTINGS);
  });

  it('are required where a service does not migrate', async () => {
    await resetRole();

    await expect(openDataSource({ ...options(), migrate: 'never' })).rejects.toThrow(
      /the role of schema "identity" lacks its settings in this database: run `tidings migrate`/,
    );
  });

  it('stay as an operator chose them', async () => {
    await asAdmin(`ALTER ROLE ${role()} IN DATABASE "${database()}" SET statement_timeout TO '7s'`);

    await expect(settingsOf(options())).resolves.toMatchObject({ statement_timeout: '7000ms database user' });
  });

  it('are those of one service: a role that has the schema of another is refused', async () => {
    await asAdmin(`ALTER ROLE ${role()} IN DATABASE "${database()}" SET search_path TO content`);

    await expect(openDataSource(options())).rejects.toThrow(/has search_path content in this database, not identity/);
  });

  it('are missed in a connection that a pooler opened before', async () => {
    const url = new URL(testDatabase.urlOf('identity'));
    url.searchParams.set('options', '-c search_path=public');

    await expect(openDataSource({ ...options(), databaseUrl: url.href })).rejects.toMatchObject({
      message: expect.stringMatching(/does not have the settings of its role/) as string,
      cause: { code: 'unavailable' },
    });
  });

  it('do not depend on prepared statements, where a pooler is in transaction mode', async () => {
    const counts: number[] = [];
    for (const isTransactionPooled of [true, false]) {
      const source = await openDataSource({ ...options(), isTransactionPooled });
      const own = new Database(source);
      await own.transaction(async (tx) => {
        await tx.query(COUNT);
      });
      const [row] = await own.query<{ prepared: number }>(COUNT);
      counts.push(row!.prepared);
      await source.destroy();
    }
    expect(counts).toEqual([0, 1]);
  });

  it('go past the pooler for connections of their own, and for migrations', async () => {
    const pooler = await startTcpProxy(testDatabase.urlOf('identity'));
    const source = await openDataSource({ ...options(), databaseUrl: pooler.url, directUrl: testDatabase.urlOf('identity') });
    const own = new Database(source);
    pooler.setReachable(false);

    const alone = await own.connectAlone('alone');
    await expect(alone.query(`SELECT current_setting('application_name') AS name, current_schema() AS schema`)).resolves.toEqual([
      { name: 'alone', schema: 'identity' },
    ]);
    await expect(own.query('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
    alone.close();
    await source.destroy();
    await pooler.close();
  });
});
