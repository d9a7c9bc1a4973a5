import { Logger } from '@nestjs/common';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './concurrent-index';
import { openDataSource } from './data-source';
import { LOCK_TIMEOUT_MS } from './lock-timeout';
import type { SchemaOptions } from './make-data-source';
import { planMigrations } from './migration-plan';

class CreateItem1700000000001 implements MigrationInterface {
  readonly name = 'CreateItem1700000000001';
  up = (runner: QueryRunner) => runner.query('CREATE TABLE item (id serial PRIMARY KEY, name text)');
  down = () => Promise.resolve();
}

class ExtendItem1700000000002 implements MigrationInterface {
  readonly name = 'ExtendItem1700000000002';
  up = (runner: QueryRunner) => runner.query('ALTER TABLE item ADD COLUMN note text');
  down = () => Promise.resolve();
}

class IndexItem1700000000003 implements MigrationInterface {
  readonly name = 'IndexItem1700000000003';
  readonly transaction = false;
  up = (runner: QueryRunner) => createIndexConcurrently(runner, { name: 'item_by_name', table: 'item', definition: '(name)' });
  down = () => Promise.resolve();
}

class SplitItem1700000000004 implements MigrationInterface {
  readonly name = 'SplitItem1700000000004';
  up = async (runner: QueryRunner) => {
    await runner.query('CREATE TABLE split (id integer) PARTITION BY RANGE (id)');
    await runner.query('CREATE TABLE split_low PARTITION OF split FOR VALUES FROM (0) TO (10)');
    await runner.query('CREATE TABLE split_high PARTITION OF split DEFAULT');
  };
  down = () => Promise.resolve();
}

class IndexSplit1700000000005 implements MigrationInterface {
  readonly name = 'IndexSplit1700000000005';
  readonly transaction = false;
  up = (runner: QueryRunner) => createIndexConcurrently(runner, { name: 'split_by_id', table: 'split', definition: '(id)' });
  down = () => Promise.resolve();
}

class Dependent1700000000006 implements MigrationInterface {
  readonly name = 'Dependent1700000000006';
  up = async (runner: QueryRunner) => {
    await runner.query('SELECT id FROM item');
  };
  down = () => Promise.resolve();
}

describe('the migrations of a schema', () => {
  let testDatabase: TestDatabase;
  let admin: Client;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    testDatabase = await createTestDatabase();
    admin = await connected(testDatabase.adminUrl);
  });

  afterEach(async () => {
    await admin.end();
    await testDatabase.drop();
  });

  const connected = async (url: string) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    return client;
  };

  const optionsWith = (...migrations: SchemaOptions['migrations']): SchemaOptions => ({
    schema: 'identity',
    databaseUrl: testDatabase.urlOf('identity'),
    entities: [],
    migrations,
    poolSize: 1,
  });

  async function open(options: SchemaOptions) {
    const source = await openDataSource(options);
    await source.destroy();
  }

  const rows = async (text: string) => (await admin.query<Record<string, unknown>>(text)).rows;
  const indexes = () =>
    rows(`SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'identity' AND indexname LIKE '%\\_by\\_%' ORDER BY 1`);

  it('are not run with `never`, which refuses an older schema and names what it lacks', async () => {
    await open(optionsWith(CreateItem1700000000001));
    const newer = optionsWith(CreateItem1700000000001, ExtendItem1700000000002);

    const refused = openDataSource({ ...newer, migrate: 'never' });

    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(
        /schema "identity" lacks the migration ExtendItem1700000000002: run `tidings migrate` of this version/,
      ) as string,
      cause: { code: 'unavailable' },
    });
    await open(newer);
    await open({ ...newer, migrate: 'never' });
  });

  it.each(['start', 'never'] as const)('of a newer version are no obstacle to an older one (%s)', async (migrate) => {
    await open(optionsWith(CreateItem1700000000001, ExtendItem1700000000002));

    await open({ ...optionsWith(CreateItem1700000000001), migrate });

    await expect(rows('SELECT count(*)::int AS count FROM identity.migrations')).resolves.toEqual([{ count: 2 }]);
  });

  it('wait for a lock for a limited time, let others use the table, and are repeated', async () => {
    await open(optionsWith(CreateItem1700000000001));
    const reader = await connected(testDatabase.urlOf('identity'));
    await reader.query('BEGIN; SELECT FROM item');
    const writer = await connected(testDatabase.urlOf('identity'));

    let migrated = false;
    const opened = open(optionsWith(CreateItem1700000000001, ExtendItem1700000000002)).then(() => (migrated = true));
    const waiting = `SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted AND relation = 'identity.item'::regclass`;
    await waitUntil(async () => (await rows(waiting)).length > 0, { what: 'the migration to wait for its lock' });
    const from = performance.now();
    await writer.query(`INSERT INTO item (name) VALUES ('a')`); // waits behind the migration

    expect(performance.now() - from).toBeLessThan(LOCK_TIMEOUT_MS + 2_000);
    expect(migrated).toBe(false);
    await reader.query('COMMIT');
    await opened;
    await Promise.all([reader.end(), writer.end()]);
  });

  it('build an index beside a process that waits to migrate, and beside a transaction that writes the table', async () => {
    await open(optionsWith(CreateItem1700000000001));
    const writer = await connected(testDatabase.urlOf('identity'));
    await writer.query(`BEGIN; INSERT INTO item (name) VALUES ('a')`);

    const options = optionsWith(CreateItem1700000000001, IndexItem1700000000003);
    const opened = Promise.all([open(options), open(options), open(options)]);
    await waitUntil(async () => (await indexes()).length > 0, { what: 'the build of the index to start' });
    await writer.query(`INSERT INTO item (name) VALUES ('b'); COMMIT`);
    await opened;

    await expect(indexes()).resolves.toEqual([{ name: 'item_by_name' }]);
    await expect(rows(`SELECT FROM identity.migrations WHERE name LIKE 'IndexItem%'`)).resolves.toHaveLength(1);
    await writer.end();
  });

  it('replace an index whose build was interrupted', async () => {
    await open(optionsWith(CreateItem1700000000001));
    await rows('CREATE INDEX item_by_name ON identity.item (name)');
    await rows(`ALTER INDEX identity.item_by_name OWNER TO ${new URL(testDatabase.urlOf('identity')).username}`).catch(() => []);
    await rows(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'identity.item_by_name'::regclass`);

    await open(optionsWith(CreateItem1700000000001, IndexItem1700000000003));

    await expect(rows(`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'identity.item_by_name'::regclass`)).resolves.toEqual([
      { valid: true },
    ]);
  });

  it('index a partitioned table partition by partition', async () => {
    await open(optionsWith(SplitItem1700000000004, IndexSplit1700000000005));

    await expect(indexes()).resolves.toEqual([
      { name: 'split_by_id' },
      { name: 'split_high_split_by_id' },
      { name: 'split_low_split_by_id' },
    ]);
    await expect(rows(`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'identity.split_by_id'::regclass`)).resolves.toEqual([
      { valid: true },
    ]);
  });

  it('are planned without a change, with the SQL of those that do not depend on data', async () => {
    await open(optionsWith(CreateItem1700000000001));

    const planned = await planMigrations(optionsWith(CreateItem1700000000001, Dependent1700000000006, ExtendItem1700000000002));

    expect(planned).toEqual([
      { name: 'ExtendItem1700000000002', sql: ['ALTER TABLE item ADD COLUMN note text'] },
      { name: 'Dependent1700000000006', sql: undefined },
    ]);
    await expect(rows('SELECT name FROM identity.migrations')).resolves.toEqual([{ name: 'CreateItem1700000000001' }]);
  });
});
