import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { freePort } from '@tidings/testing/free-port';
import { Client } from 'pg';
import { DatabaseProbe } from './database-probe';

describe('a probe of a database', () => {
  let database: TestDatabase;
  const probes: DatabaseProbe[] = [];

  const probe = (url: string, schema = 'identity'): DatabaseProbe => {
    const created = new DatabaseProbe(url, schema);
    probes.push(created);
    return created;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => probes.splice(0).forEach((one) => one.close()));
  afterAll(() => database.drop());

  it('accepts a usable schema, repeatedly and concurrently', async () => {
    const one = probe(database.urlOf('identity'));
    await Promise.all([one.check(), one.check()]);
    await one.check();
  });

  it('reports a missing schema', async () => {
    await expect(probe(database.urlOf('identity'), 'elsewhere').check()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'schema "elsewhere" is not there yet: run `tidings migrate`',
    });
  });

  it('reports a refused role and names the command that creates roles', async () => {
    const url = new URL(database.urlOf('identity'));
    url.password = 'not-the-password';
    await expect(probe(url.href).check()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/password authentication failed.*tidings migrate/) as string,
    });
  });

  it('reports a server that does not answer', async () => {
    const url = new URL(database.urlOf('identity'));
    url.port = String(await freePort());
    await expect(probe(url.href).check()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  it('does not report an outage that is over: the first check after it opens a new connection', async () => {
    const one = probe(database.urlOf('identity'));
    await one.check();
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    try {
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'tidings-identity-health'`,
      );
      expect(rowCount).toBe(1);
    } finally {
      await admin.end();
    }
    await one.check();
  });
});
