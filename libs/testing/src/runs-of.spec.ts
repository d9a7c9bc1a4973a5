import { openDataSource } from '@tidings/persistence/data-source';
import { Database, statement } from '@tidings/persistence/database';
import { Column, type DataSource, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from './database';
import { runsOf } from './runs-of';

class CreateNotes1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table notes (id text primary key, body text)');
  }
  down(): Promise<void> {
    return Promise.resolve();
  }
}

@Entity('notes')
class Note {
  @PrimaryColumn('text')
  id!: string;
  @Column('text', { nullable: true })
  body!: string | null;
}

const OURS = statement('spec.ours', 'select id from notes where id = $1');
const THEIRS = statement('spec.theirs', 'select 2');

let testDatabase: TestDatabase;
let dataSource: DataSource;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const databaseUrl = testDatabase.urlOf('content');
  dataSource = await openDataSource({ schema: 'content', databaseUrl, entities: [Note], migrations: [CreateNotes1700000000001] });
});
afterAll(async () => {
  await dataSource?.destroy();
  await testDatabase?.drop();
});

it('records the statements of the work and of its transactions, TypeORM’s too, and no concurrent ones', async () => {
  const database = new Database(dataSource);
  let start: () => void = () => undefined;
  const concurrent = new Promise<void>((resolve) => (start = resolve)).then(() => database.query(THEIRS, []));

  const runs = await runsOf(async () => {
    await database.query(OURS, ['a']);
    start();
    await concurrent;
    await database.transaction(async (tx) => {
      await tx.execute(OURS, ['b']);
      await tx.manager.insert(Note, { id: 'c' });
    });
    await dataSource.getRepository(Note).findOneBy({ id: 'd' });
  });

  expect(runs).toEqual([
    [OURS, ['a']],
    [OURS, ['b']],
    [{ name: expect.any(String) as string, text: expect.stringMatching(/^INSERT INTO "content"."notes"/) as string }, ['c']],
    [{ name: expect.any(String) as string, text: expect.stringMatching(/^SELECT .* FROM "content"."notes"/) as string }, ['d']],
  ]);
});
