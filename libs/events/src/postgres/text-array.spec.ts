import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { Client } from 'pg';
import { textArray } from './text-array';

describe('textArray', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    ['nothing', []],
    ['null', [null]],
    ['null between texts', ['a', null, '']],
    ['characters the text format would escape', ['"', '\\', '{a,b}', 'NULL', ' ', "'"]],
    ['characters of every length', ['é', '✓', '𝕌', '\u0001\u007f']],
  ])('encodes %s for PostgreSQL', async (_, values) => {
    const client = new Client({ connectionString: database.adminUrl });
    await client.connect();

    const { rows } = await client.query<{ back: unknown }>('SELECT $1::text[] AS back', [textArray(values)]);
    await client.end();

    expect(rows).toEqual([{ back: values }]);
  });
});
