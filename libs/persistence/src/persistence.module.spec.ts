import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository } from '@nestjs/typeorm';
import { Client } from 'pg';
import { DataSource, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner, Repository } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { waitUntil } from '@tidings/testing/wait-until';
import { Database } from './database';
import { openDataSource } from './data-source';
import { Outbox } from './outbox';
import { RecordingLog, step, stepMade } from './outbox.fixture';
import { PersistenceModule, type PersistenceOptions } from './persistence.module';

@Entity('item')
class IdentityItem {
  @PrimaryColumn('uuid', { generated: 'uuid' })
  id!: string;
}

@Entity('item')
class ContentItem {
  @PrimaryColumn('text')
  name!: string;
}

class CreateItem1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_random_uuid())');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE item');
  }
}

class CreateNamedItem1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE item (name text PRIMARY KEY)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE item');
  }
}

class Fail1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE half ()');
    await runner.query('SELECT nonsense');
  }
  down(): Promise<void> {
    return Promise.resolve();
  }
}

describe('the persistence module', () => {
  let testDatabase: TestDatabase;

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(async () => {
    testDatabase = await createTestDatabase();
  });

  afterEach(async () => {
    await testDatabase.drop();
  });

  const identityOptions = (): PersistenceOptions => ({
    schema: 'identity',
    databaseUrl: testDatabase.urlOf('identity'),
    entities: [IdentityItem],
    migrations: [CreateItem1700000000001],
  });

  const contentOptions = (): PersistenceOptions => ({
    schema: 'content',
    databaseUrl: testDatabase.urlOf('content'),
    entities: [ContentItem],
    migrations: [CreateNamedItem1700000000001],
  });

  const admin = async (statement: string) => {
    const client = new Client({ connectionString: testDatabase.adminUrl });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  };

  it('gives two services of one process a data source each, with entities of the same table name', async () => {
    @Injectable()
    class IdentityItems {
      constructor(
        readonly database: Database,
        readonly dataSource: DataSource,
        @InjectRepository(IdentityItem) readonly rows: Repository<IdentityItem>,
      ) {}
    }
    @Injectable()
    class ContentItems {
      constructor(
        readonly database: Database,
        @InjectRepository(ContentItem) readonly rows: Repository<ContentItem>,
      ) {}
    }
    @Module({ imports: [PersistenceModule.forService(identityOptions())], providers: [IdentityItems] })
    class IdentityModule {}
    @Module({ imports: [PersistenceModule.forService(contentOptions())], providers: [ContentItems] })
    class ContentModule {}
    @Module({ imports: [IdentityModule, ContentModule] })
    class Both {}

    const app = await NestFactory.createApplicationContext(Both, { logger: false });
    const identity = app.get(IdentityItems, { strict: false });
    const content = app.get(ContentItems, { strict: false });
    await identity.rows.insert({});
    await content.rows.insert({ name: 'a' });

    await expect(identity.database.query('SELECT count(*)::int AS count FROM identity.item')).resolves.toEqual([{ count: 1 }]);
    await expect(content.database.query('SELECT name FROM item')).resolves.toEqual([{ name: 'a' }]);
    expect(identity.dataSource.entityMetadatas.map(({ target }) => target)).toEqual([IdentityItem]);

    await app.close();
    expect(identity.dataSource.isInitialized).toBe(false);
  });

  it('stores the migrations table in the schema it belongs to', async () => {
    const sources = await Promise.all([openDataSource(identityOptions()), openDataSource(contentOptions())]);

    const tables = await admin(`SELECT schemaname::text, tablename::text FROM pg_tables WHERE tablename = 'migrations' ORDER BY 1`);

    expect(tables).toEqual([
      { schemaname: 'content', tablename: 'migrations' },
      { schemaname: 'identity', tablename: 'migrations' },
    ]);
    await Promise.all(sources.map((source) => source.destroy()));
  });

  it('runs each migration once when twenty processes start at the same time', async () => {
    const sources = await Promise.all(Array.from({ length: 20 }, () => openDataSource({ ...identityOptions(), poolSize: 2 })));

    await expect(admin('SELECT name FROM identity.migrations')).resolves.toEqual([{ name: 'CreateItem1700000000001' }]);
    await expect(
      admin(
        `SELECT count(*)::int AS locks FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE locktype = 'advisory' AND datname = current_database()`,
      ),
    ).resolves.toEqual([{ locks: 0 }]);
    await Promise.all(sources.map((source) => source.destroy()));
  });

  it('restores the statement timeout of its connections after migrating', async () => {
    const source = await openDataSource({ ...identityOptions(), poolSize: 1, statementTimeoutMs: 1_234 });

    await expect(source.query(`SELECT current_setting('statement_timeout') AS value`)).resolves.toEqual([{ value: '1234ms' }]);
    await source.destroy();
  });

  it('does not start after a failed migration, rolls it back and releases its lock', async () => {
    const failing = openDataSource({ ...identityOptions(), migrations: [CreateItem1700000000001, Fail1700000000002] });

    await expect(failing).rejects.toThrow(/Schema "identity" at .* could not be migrated: column "nonsense" does not exist/);
    await expect(admin(`SELECT to_regclass('identity.half') AS half`)).resolves.toEqual([{ half: null }]);
    const source = await openDataSource(identityOptions());
    await source.destroy();
  });

  it('does not start without PostgreSQL, and names its address without the password', async () => {
    const url = new URL(testDatabase.urlOf('identity'));
    url.port = '1';
    url.password = 'secret';

    const error: unknown = await openDataSource({ ...identityOptions(), databaseUrl: url.toString() }).catch((reason: unknown) => reason);

    expect(String(error)).toMatch(/PostgreSQL at 127\.0\.0\.1:1\/\S+ cannot be used for "identity": .*ECONNREFUSED/);
    expect(String(error)).not.toContain('secret');
  });

  it('does not print a URL it cannot parse', async () => {
    await expect(openDataSource({ ...identityOptions(), databaseUrl: 'no url: secret' })).rejects.not.toThrow(/secret/);
  });

  it('runs an outbox relay from start to stop, where the service publishes events', async () => {
    const log = new RecordingLog();
    @Injectable()
    class Steps {
      constructor(
        readonly database: Database,
        readonly outbox: Outbox,
      ) {}
      make(messageId: string) {
        return this.database.transaction((tx) => this.outbox.add(tx, stepMade, { payload: step(messageId) }));
      }
    }
    const persistence = PersistenceModule.forService({ ...identityOptions(), publishes: { events: [stepMade], log } });
    @Module({ imports: [persistence], providers: [Steps] })
    class IdentityModule {}
    const app = await NestFactory.createApplicationContext(IdentityModule, { logger: false });

    await app.get(Steps, { strict: false }).make('a');
    await log.waitFor('a1');
    await app.close();

    await expect(connections()).resolves.toEqual([]);
    await expect(admin('SELECT name FROM identity.migrations ORDER BY 1')).resolves.toEqual([
      { name: 'AddIdempotencyBodies1795917600000' },
      { name: 'CreateCallJournal1700000000002' },
      { name: 'CreateConsumerPositions1796083200000' },
      { name: 'CreateIdempotencyKeys1700000000003' },
      { name: 'CreateItem1700000000001' },
      { name: 'CreateOutbox1700000000001' },
      { name: 'CreateQuotaCounts1795911600002' },
      { name: 'CreateRelayCursor1700000000000' },
    ]);
  });

  it('closes its connections when the process stops', async () => {
    @Module({ imports: [PersistenceModule.forService(identityOptions())] })
    class IdentityModule {}
    const app = await NestFactory.createApplicationContext(IdentityModule, { logger: false });

    await app.close();

    await expect(connections()).resolves.toEqual([]);
  });

  /** The server may notice a moment later that a client has disconnected. */
  async function connections(): Promise<unknown[]> {
    const open = () =>
      admin(`SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'tidings-%' AND datname = current_database()`);
    await waitUntil(async () => (await open()).length === 0).catch(() => {});
    return open();
  }
});
