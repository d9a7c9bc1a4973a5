import { Client } from 'pg';
import { createTestDatabase } from './database';

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

describe('a test database', () => {
  it('is a new one for every call', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    await query(one.adminUrl, 'CREATE TABLE public.mine (id int)');

    const [{ found }] = (await query(two.adminUrl, `SELECT to_regclass('public.mine') AS found`)) as [{ found: unknown }];

    expect(found).toBeNull();
    await Promise.all([one.drop(), two.drop()]);
  });

  it('is deleted by drop, even with open connections', async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.adminUrl });
    client.on('error', () => {}); // the drop closes the connection
    await client.connect();

    await database.drop();

    await expect(query(database.adminUrl, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
    await client.end();
  });

  it('gives a role access to its own schema only', async () => {
    const database = await createTestDatabase();

    await query(database.urlOf('identity'), 'CREATE TABLE identity.mine (id int)');

    await expect(query(database.urlOf('audience'), 'SELECT * FROM identity.mine')).rejects.toMatchObject({ code: '42501' });
    await database.drop();
  });

  it('does not invalidate its URLs when others are created', async () => {
    const one = await createTestDatabase();

    const others = await Promise.all([1, 2, 3, 4].map(() => createTestDatabase()));

    await expect(query(one.urlOf('content'), 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    await Promise.all([one, ...others].map((database) => database.drop()));
  });

  it('runs the migration of a key once for all its databases', async () => {
    let runs = 0;
    const migrate = {
      key: `once ${Math.random()}`,
      run: async ({ adminUrl }: { adminUrl: string }) => {
        runs++;
        await query(adminUrl, 'CREATE TABLE public.migrated AS SELECT 42 AS answer');
      },
    };

    const databases = await Promise.all([1, 2, 3].map(() => createTestDatabase({ migrate })));
    const answers = await Promise.all(databases.map(({ adminUrl }) => query(adminUrl, 'SELECT answer FROM public.migrated')));

    expect(runs).toBe(1);
    expect(answers).toEqual([[{ answer: 42 }], [{ answer: 42 }], [{ answer: 42 }]]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('leaves no template when its migration fails', async () => {
    let fail = true;
    const migrate = {
      key: `fails first ${Math.random()}`,
      run: async ({ adminUrl }: { adminUrl: string }) => {
        await query(adminUrl, 'CREATE TABLE public.half (id int)');
        if (fail) throw new Error('half-way');
      },
    };

    await expect(createTestDatabase({ migrate })).rejects.toThrow('half-way');
    fail = false;
    const database = await createTestDatabase({ migrate });

    await expect(query(database.adminUrl, 'SELECT * FROM public.half')).resolves.toEqual([]);
    await database.drop();
  });
});
