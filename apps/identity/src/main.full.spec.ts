import { join } from 'node:path';
import { prepareSchema } from '@tidings/persistence/migrate';
import { serviceMigrations } from '@tidings/persistence/service-migrations';
import { startTcpProxy, type TcpProxy } from '@tidings/testing/tcp-proxy';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { freePort } from '@tidings/testing/free-port';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, TEST_SIGNING } from '@tidings/testing/kafka';
import { SourceProcess } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { IDENTITY_MIGRATIONS } from './migrations/all';

const MAIN = join(__dirname, 'main.ts');
const START_TIMEOUT_MS = 60_000;
const KEY = 'pk_prod_the_first_key_of_all';

describeWithKafka('the process of identity', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let brokers: string[];
  const running: SourceProcess[] = [];

  beforeAll(async () => {
    brokers = (await sharedTestKafka()).brokers;
    database = await createTestDatabase();
    proxy = await startTcpProxy(database.urlOf('identity'));
  }, KAFKA_START_TIMEOUT_MS);

  afterEach(async () => {
    await Promise.all(running.splice(0).map((child) => child.kill()));
    proxy.setReachable(true);
  });

  afterAll(async () => {
    await proxy?.close();
    await database?.drop();
  });

  async function start(environment: NodeJS.ProcessEnv = {}): Promise<{ child: SourceProcess; ready(): Promise<Record<string, unknown>> }> {
    const managementPort = await freePort();
    const child = SourceProcess.start(MAIN, {
      environment: {
        MANAGEMENT_PORT: String(managementPort),
        DATABASE_URL: proxy.url,
        KAFKA_BROKERS: brokers.join(),
        KAFKA_TOPIC_PREFIX: `identity-${process.pid}.`,
        TIDINGS_KAFKA_REPLICATION: '1',
        TIDINGS_RPC_SECRET: TEST_SIGNING.secrets.join(),
        TIDINGS_API_KEY: '',
        LOG_LEVEL: '',
        ...environment,
      },
    });
    running.push(child);
    const ready = async (): Promise<Record<string, unknown>> => {
      const answer = await fetch(`http://127.0.0.1:${managementPort}/health/ready`);
      return (await answer.json()) as Record<string, unknown>;
    };
    return { child, ready };
  }

  const untilReady = (ready: () => Promise<Record<string, unknown>>): Promise<unknown> =>
    waitUntil(async () => (await ready()).status === 'ok', { what: 'readiness', timeoutMs: START_TIMEOUT_MS });

  async function count(table: string): Promise<number> {
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    try {
      const { rows } = await admin.query<{ count: number }>(`SELECT count(*)::int AS count FROM identity.${table}`);
      return rows[0]!.count;
    } finally {
      await admin.end();
    }
  }

  it('waits for its database, is ready once it is reachable, and not ready while it is unavailable', async () => {
    proxy.setReachable(false);
    const { child, ready } = await start();
    await child.untilOutput(/Waiting for PostgreSQL at/, { timeoutMs: START_TIMEOUT_MS });
    expect(await ready()).toMatchObject({ checks: { start: expect.stringContaining('waiting for PostgreSQL') as string } });

    proxy.setReachable(true);
    await untilReady(ready);
    expect(await count('workspaces')).toBe(0); // no workspace is created without TIDINGS_API_KEY

    proxy.setReachable(false);
    await waitUntil(
      async () => {
        const { status, checks } = (await ready()) as { status: string; checks: Record<string, string> };
        return status === 'unavailable' && checks.database !== 'ok' && checks.rpc === 'ok';
      },
      { what: 'the database check alone to fail' },
    );

    proxy.setReachable(true);
    await untilReady(ready);
    expect(await child.kill('SIGTERM')).toBe(0);
  });

  it('waits for an unreachable Kafka, and ends at once on SIGTERM', async () => {
    const { child, ready } = await start({ KAFKA_BROKERS: `127.0.0.1:${await freePort()}` });
    await child.untilOutput(/Waiting for Kafka at 127\.0\.0\.1/, { timeoutMs: START_TIMEOUT_MS });
    expect(await ready()).toMatchObject({ checks: { start: expect.stringContaining('waiting for Kafka') as string } });

    expect(await child.kill('SIGTERM')).toBe(0);
    expect(child.output).not.toMatch(/cannot start/);
  });

  it('with TIDINGS_MIGRATE=never names the migrations that its schema lacks, and starts once they have run', async () => {
    const unmigrated = await createTestDatabase();
    const databaseUrl = unmigrated.urlOf('identity');
    const { child, ready } = await start({ DATABASE_URL: databaseUrl, TIDINGS_MIGRATE: 'never' });
    await child.untilOutput(/lacks the migrations CreateRelayCursor1700000000000, .*run `tidings migrate` of this version/, {
      timeoutMs: START_TIMEOUT_MS,
    });
    expect(await ready()).toMatchObject({
      status: 'unavailable',
      checks: { start: expect.stringContaining('lacks the migrations') as string },
    });

    await prepareSchema({ databaseUrl, schema: 'identity', migrations: serviceMigrations(IDENTITY_MIGRATIONS) });
    await untilReady(ready);
    expect(await child.kill('SIGTERM')).toBe(0);
    await unmigrated.drop();
  });

  it('creates the first workspace once when several replicas start', async () => {
    const replicas = await Promise.all([1, 2].map(() => start({ TIDINGS_API_KEY: KEY })));
    await Promise.all(replicas.map(({ ready }) => untilReady(ready)));

    expect(await count('workspaces')).toBe(1);
    expect(await count('api_keys')).toBe(1);
    for (const { child } of replicas) await child.untilOutput(/"Ready"/); // output arrives apart from HTTP answers, but in order
    expect(replicas.filter(({ child }) => child.output.includes('Made the first workspace'))).toHaveLength(1);
    for (const { child } of replicas) expect(child.output).not.toContain(KEY);
  });

  it('starts with a revoked first key, and logs a warning', async () => {
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query('UPDATE identity.api_keys SET revoked_at = now()');
    await admin.end();

    const { child, ready } = await start({ TIDINGS_API_KEY: KEY });
    await untilReady(ready);
    await child.untilOutput(/TIDINGS_API_KEY does not open the workspace \\"default\\": The API key was revoked/);
  });
});
