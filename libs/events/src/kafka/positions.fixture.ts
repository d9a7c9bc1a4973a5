import type { EventDefinition } from '@tidings/contracts/core/event';
import { ConsumerPositions } from '@tidings/persistence/consumer-positions';
import { CreateConsumerPositions1796083200000 } from '@tidings/persistence/consumer-positions.migrations';
import { openDataSource } from '@tidings/persistence/data-source';
import { Database, statement } from '@tidings/persistence/database';
import { createTestDatabase } from '@tidings/testing/database';
import { Client } from 'pg';
import type { BatchHandler } from '../event-log';
import { nameOf, type Step } from '../spec-events.fixture';

const STORE = statement('spec-store-effects', 'insert into effects (name) select unnest($1::text[]) on conflict do nothing returning name');

/** A service's database with effects of events, each stored once, and the positions of their consumers. */
export class Effects {
  /** Names of the records whose effect was there when they came. */
  readonly again: string[] = [];
  handled = 0;

  private constructor(
    readonly positions: ConsumerPositions,
    private readonly database: Database,
    /** As superuser. */
    readonly sql: Client,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<Effects> {
    const testDatabase = await createTestDatabase();
    const sql = new Client(testDatabase.adminUrl);
    await sql.connect();
    const migrations = [CreateConsumerPositions1796083200000];
    const dataSource = await openDataSource({ databaseUrl: testDatabase.urlOf('identity'), schema: 'identity', entities: [], migrations });
    const database = new Database(dataSource);
    await database.query('create table effects (name text primary key)');
    await sql.query('set search_path to identity');
    return new Effects(new ConsumerPositions(database), database, sql, async () => {
      await dataSource.destroy();
      await sql.end();
      await testDatabase.drop();
    });
  }

  /** Stores the name of each record. */
  readonly handler: BatchHandler<Step> = async (batch) => {
    const names = batch.map(nameOf);
    const added = await this.database.query<{ name: string }>(STORE, [names]);
    this.handled += names.length;
    this.again.push(...names.filter((name) => !added.some((row) => row.name === name)));
  };

  async stored(): Promise<string[]> {
    return (await this.sql.query<{ name: string }>('select name from effects order by name')).rows.map(({ name }) => name);
  }

  /** Records below the stored positions of a topic, of all partitions. */
  async position({ topic }: EventDefinition<Step>): Promise<number> {
    const { rows } = await this.sql.query<{ sum: string | null }>(
      `select sum(next_offset) from consumer_positions where topic like '%' || $1`,
      [topic],
    );
    return Number(rows[0]!.sum);
  }
}
