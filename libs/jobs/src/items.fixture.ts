import { randomUUID } from 'node:crypto';
import { openDataSource } from '@tidings/persistence/data-source';
import { Database } from '@tidings/persistence/database';
import { OUTBOX_MIGRATIONS } from '@tidings/persistence/outbox.migrations';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { claimStatements } from './due-statements';
import type { OwnedRow } from './round-robin';

/** A row of a queue whose table is as the contract says. */
export interface Item extends OwnedRow {
  id: string;
  generation: number;
  title: string;
}

export const STATEMENTS = claimStatements('jobs-spec.items', { table: 'items', key: 'id', columns: ['title'] });

/** `effects` has what workers did, in order; `released` the claims that may end. */
const TABLES = `
  create table items (id uuid primary key, workspace_id uuid not null, lane smallint not null, turn integer not null default 0,
    claimed_generation integer, due_at timestamptz not null, title text not null);
  create table effects (number serial, at timestamptz default clock_timestamp(), worker text, what text, id uuid, generation integer,
    title text, due_at timestamptz);
  create table released (id uuid, generation integer);
  grant all on all tables in schema messaging to tidings_messaging;
  grant all on all sequences in schema messaging to tidings_messaging`;

interface NewItem {
  id?: string;
  workspaceId?: string;
  lane?: number;
  inMs?: number;
  title?: string;
}

/** A database with the table of a queue. */
export class Items {
  private constructor(
    readonly server: TestDatabase,
    /** As superuser, in the schema of the table. */
    readonly admin: Client,
    private readonly dataSource: DataSource,
    readonly database: Database,
  ) {}

  static async create(): Promise<Items> {
    const server = await createTestDatabase();
    const dataSource = await openDataSource({
      databaseUrl: server.urlOf('messaging'),
      schema: 'messaging',
      entities: [],
      migrations: OUTBOX_MIGRATIONS,
    });
    const admin = new Client({ connectionString: server.adminUrl });
    await admin.connect();
    await admin.query(`set search_path to messaging; ${TABLES}`);
    return new Items(server, admin, dataSource, new Database(dataSource));
  }

  /** Adds items of one owner, the first due first; resolves with the id of the last. */
  async add(count: number, { id = randomUUID(), workspaceId = randomUUID(), lane = 1, inMs = 0, title }: NewItem = {}): Promise<string> {
    await this.admin.query(
      `insert into items (id, workspace_id, lane, due_at, title)
       select case number when -1 then $1 else gen_random_uuid() end, $2, $3, clock_timestamp() + ($4 + number) * interval '1 millisecond',
              coalesce($5, 'item ' || number)
       from generate_series(-$6::integer, -1) as number`,
      [id, workspaceId, lane, inMs, title, count],
    );
    return id;
  }

  async clear(): Promise<void> {
    await this.admin.query('truncate items, effects, released');
  }

  async end(): Promise<void> {
    await this.dataSource.destroy();
    await this.admin.end();
    await this.server.drop();
  }
}
