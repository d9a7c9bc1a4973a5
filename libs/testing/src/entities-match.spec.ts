import { EntitySchema, type EntitySchemaColumnOptions, type MigrationInterface, type QueryRunner } from 'typeorm';
import { openDataSource } from '@tidings/persistence/data-source';
import { createTestDatabase, type TestDatabase } from './database';
import { entityDifferences } from './entities-match';

class CreateNotes1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table notes (
      workspace_id uuid not null, id text collate "C" not null, size bigint not null default 0, body jsonb check (body <> 'null'),
      created_at timestamptz not null default now(), primary key (workspace_id, id))`);
    await runner.query('create index notes_by_size on notes (size) where body is not null');
    await runner.query('create table others (id text)');
  }
  down(): Promise<void> {
    return Promise.resolve();
  }
}

const columns: Record<string, EntitySchemaColumnOptions> = {
  workspace_id: { type: 'uuid', primary: true },
  id: { type: 'text', collation: 'C', primary: true },
  size: { type: 'bigint', default: 0 },
  body: { type: 'jsonb', nullable: true },
  created_at: { type: 'timestamptz', default: () => 'now()' },
};

let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

async function differencesOf(overrides: Record<string, EntitySchemaColumnOptions | undefined>, tableName = 'notes'): Promise<string[]> {
  const given = Object.entries({ ...columns, ...overrides }).filter((entry): entry is [string, EntitySchemaColumnOptions] => !!entry[1]);
  const entity = new EntitySchema({ name: 'Note', tableName, columns: Object.fromEntries(given) });
  const options = { schema: 'content', databaseUrl: database.urlOf('content'), entities: [entity], migrations: [CreateNotes1700000000001] };
  const dataSource = await openDataSource(options);
  try {
    return await entityDifferences(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

it('finds no difference where the entity says what the table has', async () => {
  await expect(differencesOf({})).resolves.toEqual([]);
});

it.each<[string, Record<string, EntitySchemaColumnOptions | undefined>, string]>([
  ['another type', { size: { type: 'integer', default: 0 } }, 'content.notes.size: declared otherwise'],
  ['another default', { size: { type: 'bigint', default: 1 } }, 'content.notes.size: declared otherwise'],
  ['no default', { created_at: { type: 'timestamptz' } }, 'content.notes.created_at: declared otherwise'],
  ['no null', { body: { type: 'jsonb' } }, 'content.notes.body: declared otherwise'],
  ['another collation', { id: { type: 'text', primary: true } }, 'content.notes.id: declared otherwise'],
  ['another key', { id: { type: 'text', collation: 'C' } }, 'content.notes.id: declared otherwise'],
  ['a column more', { title: { type: 'text' } }, 'content.notes.title: not in the table'],
  ['a column less', { size: undefined }, 'content.notes.size: not in the entity'],
])('finds %s', async (_, overrides, difference) => {
  await expect(differencesOf(overrides)).resolves.toEqual([difference]);
});

it('skips a computed property', async () => {
  await expect(differencesOf({ twice: { type: 'bigint', virtualProperty: true, query: () => 'select 2' } })).resolves.toEqual([]);
});

it('finds a table that is not there', async () => {
  await expect(differencesOf({}, 'nots')).resolves.toEqual(['content.nots: no such table']);
});
