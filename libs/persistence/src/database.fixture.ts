import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { type DataSource, Entity, PrimaryColumn } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { openDataSource } from './data-source';
import { Database, statement } from './database';
import { startTcpProxy, type TcpProxy } from '@tidings/testing/tcp-proxy';

@Entity('note')
export class Note {
  @PrimaryColumn('text')
  id!: string;
}

export const insert = statement('insert-note', 'INSERT INTO note (id) VALUES ($1)');

/** The pool of a data source. */
export const poolOf = ({ driver }: DataSource): Pool => (driver as PostgresDriver).master as Pool;

/** A database with a table of notes, behind a proxy that can break connections. */
export interface Notebook {
  testDatabase: TestDatabase;
  proxy: TcpProxy;
  pool: Pool;
  database: Database;
  /** As superuser, without the proxy. */
  direct: Pool;
  /** Ids of the committed notes. */
  notes(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openNotebook(): Promise<Notebook> {
  Logger.overrideLogger(false); // errors here are provoked
  const testDatabase = await createTestDatabase();
  const direct = new Pool({ connectionString: testDatabase.adminUrl, max: 2 });
  direct.on('error', () => {}); // the drop may come before the server has seen the pool's end
  await direct.query('CREATE SCHEMA IF NOT EXISTS identity');
  const proxy = await startTcpProxy(testDatabase.urlOf('identity'));
  const dataSource = await openDataSource({ databaseUrl: proxy.url, schema: 'identity', entities: [Note], migrations: [], poolSize: 3 });
  const database = new Database(dataSource);
  await database.query('CREATE TABLE note (id text PRIMARY KEY)');
  return {
    testDatabase,
    proxy,
    pool: poolOf(dataSource),
    database,
    direct,
    notes: async () => (await direct.query<{ id: string }>('SELECT id FROM identity.note ORDER BY id')).rows.map(({ id }) => id),
    async close() {
      await dataSource.destroy();
      await proxy.close();
      await direct.end();
      await testDatabase.drop();
    },
  };
}
