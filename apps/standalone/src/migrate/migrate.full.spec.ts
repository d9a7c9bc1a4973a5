import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseProbe } from '@tidings/runtime/database-probe';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { freePort } from '@tidings/testing/free-port';
import { SourceProcess } from '@tidings/testing/source-process';
import { Client } from 'pg';
import { prepareSchema } from '@tidings/persistence/migrate';
import { MIGRATIONS, SERVICES } from './schemas';

const MAIN = join(__dirname, 'migrate-main.ts');

/** Roles belong to the whole cluster, so these tests have a cluster of their own. */
describe('tidings migrate', () => {
  let directory: string;
  let postgres: EmbeddedPostgres | undefined;
  let adminUrl: string;
  const running: SourceProcess[] = [];

  const passwords = Object.fromEntries(SERVICES.map((service) => [`${service.toUpperCase()}_PASSWORD`, `secret-of-${service}`]));

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tidings-migrate-'));
    postgres = await EmbeddedPostgres.start({ directory, durable: false });
    adminUrl = postgres.adminUrl;
  });

  afterAll(async () => {
    await Promise.all(running.map((child) => child.kill()));
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function tidingsMigrate(environment: NodeJS.ProcessEnv, parameters: string[] = []): Promise<{ end: unknown; output: string }> {
    const child = SourceProcess.start(MAIN, { parameters, environment: { ADMIN_DATABASE_URL: '', LOG_LEVEL: '', ...environment } });
    running.push(child);
    return { end: await child.ended, output: child.output };
  }

  async function rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: adminUrl });
    await client.connect();
    const result = await client.query<Record<string, unknown>>(text, values);
    await client.end();
    return result.rows;
  }

  const urlOf = (service: string): string => {
    const url = new URL(adminUrl);
    url.username = `tidings_${service}`;
    url.password = `secret-of-${service}`;
    return url.href;
  };

  async function serviceCanStart(service: string): Promise<void> {
    const probe = new DatabaseProbe(urlOf(service), service);
    try {
      await probe.check();
    } finally {
      probe.close();
    }
  }

  it('requires the password of every missing role before it creates any', async () => {
    const { end, output } = await tidingsMigrate({ ADMIN_DATABASE_URL: adminUrl, IDENTITY_PASSWORD: 'secret-of-identity' });

    expect(end).toBe(1);
    expect(output).toContain('AUDIENCE_PASSWORD is missing: the role tidings_audience does not exist and has to be created');
    expect(output).not.toContain('IDENTITY_PASSWORD');
    await expect(serviceCanStart('identity')).rejects.toThrow();
  });

  it('plans roles and migrations, with their SQL, and creates nothing', async () => {
    const { end, output } = await tidingsMigrate({ ADMIN_DATABASE_URL: adminUrl }, ['--plan']);

    expect(output).toMatch(/^identity: \d+ migrations; the role tidings_identity is created$/m);
    expect(output).toMatch(/^ {2}CreateOutbox1700000000001\n {4}CREATE SEQUENCE outbox_sequence AS bigint CACHE 1 NO CYCLE;$/m);
    expect(output).toContain('Nothing was changed');
    expect(end).toBe(0);
    await expect(rows('SELECT FROM pg_roles WHERE rolname LIKE $1', ['tidings%'])).resolves.toEqual([]);
  });

  it('creates roles and schemas with which every service can start, and shows no secret', async () => {
    const { end, output } = await tidingsMigrate({ ...passwords, ADMIN_DATABASE_URL: adminUrl });

    expect(output).toContain('Schema identity belongs to role tidings_identity, which was created and has the given password');
    expect(end).toBe(0);
    expect(output).not.toMatch(/secret-of/);
    expect(output).not.toContain(new URL(adminUrl).password);
    for (const service of SERVICES) await serviceCanStart(service);
  });

  it('creates the tables, which belong to the role of the service, so that a service needs no migration', async () => {
    for (const service of SERVICES) {
      await prepareSchema({ databaseUrl: urlOf(service), schema: service, migrations: MIGRATIONS[service], migrate: 'never' });
    }
    const owners = await rows(
      'SELECT DISTINCT schemaname::text AS schema, tableowner::text AS owner FROM pg_tables WHERE schemaname = ANY ($1)',
      [SERVICES],
    );
    expect(owners).toHaveLength(SERVICES.length);
    for (const { schema, owner } of owners) expect(owner).toBe(`tidings_${String(schema)}`);
    const { output } = await tidingsMigrate({ ADMIN_DATABASE_URL: adminUrl }, ['--plan']);
    expect(output.match(/: no migration$/gm)).toHaveLength(SERVICES.length);
  });

  it('can be repeated, also concurrently, and changes no password that is not set', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => tidingsMigrate({}, ['--admin-url', adminUrl])));

    for (const { end, output } of runs) {
      expect(output).toContain('which existed and has its previous password');
      expect(output).toContain('Schema messaging was up to date');
      expect(end).toBe(0);
    }
    for (const service of SERVICES) await serviceCanStart(service);
  });

  it('waits for a database that is not available yet', async () => {
    const late = mkdtempSync(join(tmpdir(), 'tidings-migrate-'));
    const port = await freePort();
    const child = SourceProcess.start(MAIN, {
      parameters: ['--admin-url', `postgresql://stranger:nothing@127.0.0.1:${port}/postgres`],
      environment: { ...passwords, ADMIN_DATABASE_URL: '', LOG_LEVEL: '' },
    });
    running.push(child);
    await child.untilOutput(/Waiting for PostgreSQL at 127\.0\.0\.1/);
    const server = await EmbeddedPostgres.start({ directory: late, durable: false, port });
    try {
      expect(server.port).toBe(port);
      // The command reached the server, which has no role of that name.
      expect(await child.ended).toBe(1);
      expect(child.output).toMatch(/authentication failed for user "stranger"/);
      expect(child.output).not.toContain('nothing');
    } finally {
      await server.stop();
      rmSync(late, { recursive: true, force: true });
    }
  });

  it.each([[[]], [['--admin-url']], [['postgresql://ada:hunter2@db/x']]])(
    'names the missing ADMIN_DATABASE_URL: %j',
    async (parameters) => {
      const { end, output } = await tidingsMigrate({}, parameters);

      expect(end).toBe(1);
      expect(output).toContain('ADMIN_DATABASE_URL');
      expect(output).not.toMatch(/hunter2|^\s+at /m);
    },
  );
});
