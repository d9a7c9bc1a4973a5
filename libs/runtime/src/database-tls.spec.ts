import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { isTransientError } from '@tidings/events/transient';
import { openDataSource } from '@tidings/persistence/data-source';
import { Database } from '@tidings/persistence/database';
import { OUTBOX_MIGRATIONS } from '@tidings/persistence/outbox.migrations';
import { provisionDatabase } from '@tidings/persistence/provision';
import { Certificates } from '@tidings/testing/certificates';
import { TlsPostgres } from '@tidings/testing/tls-postgres';
import { loadConfiguration } from './configuration';
import { DatabaseProbe } from './database-probe';

/** What the driver, on Node's TLS, says of a certificate that no known authority signed. */
const UNKNOWN_AUTHORITY = 'unable to verify the first certificate (is its CA in DATABASE_CA_FILE?)';

describe('PostgreSQL that accepts TLS alone, with DATABASE_CA_FILE', () => {
  const [own, other] = [new Certificates(), new Certificates()];
  const folder = mkdtempSync(join(tmpdir(), 'tidings-ca-'));
  const caFile = join(folder, 'ca.pem');
  let postgres: TlsPostgres;

  /** The configuration of `migrate` for the server, and the URLs of the roles. */
  const configuration = (url: string, file = caFile) =>
    loadConfiguration('migrate', { ADMIN_DATABASE_URL: url, DATABASE_URL: url, DATABASE_DIRECT_URL: url, DATABASE_CA_FILE: file });

  const check = async (url: string, file?: string): Promise<void> => {
    const probe = new DatabaseProbe(configuration(url, file).databaseUrl!, 'identity');
    try {
      await probe.check();
    } finally {
      probe.close();
    }
  };

  beforeAll(async () => {
    Logger.overrideLogger(false); // errors here are provoked
    copyFileSync(own.ca.certificate, caFile);
    postgres = await TlsPostgres.start(own.sign('server'));
  });
  afterEach(async () => {
    copyFileSync(own.ca.certificate, caFile);
    await postgres.renew(own.sign('server'));
  });
  afterAll(async () => {
    await postgres?.stop();
    for (const authority of [own, other]) authority.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('carries provisioning, migrations, the pool, notifications and the event log', async () => {
    const { adminDatabaseUrl } = configuration(postgres.url);
    const urls = await provisionDatabase(adminDatabaseUrl!);
    const options = { schema: 'identity', entities: [], migrations: OUTBOX_MIGRATIONS };
    const dataSource = await openDataSource({ ...options, databaseUrl: urls.identity, directUrl: urls.identity });
    await migrateEventLog(urls.events, {});
    const log = await PostgresEventLog.connect({ databaseUrl: urls.events, applicationName: 'tidings-events' });
    const database = new Database(dataSource);
    const listening = await database.connectAlone('tidings-relay');
    try {
      const received = new Promise((resolve) => listening.onNotification(({ payload }) => resolve(payload)));
      await listening.query('LISTEN own');
      await database.transaction((tx) => tx.query(`NOTIFY own, 'committed'`));

      await expect(received).resolves.toBe('committed');
      const connections = await postgres.query<{ name: string; ssl: boolean }>(
        `SELECT DISTINCT application_name AS name, ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE usename LIKE 'tidings%' ORDER BY name`,
      );
      expect(connections).toEqual(['tidings-events', 'tidings-identity', 'tidings-relay'].map((name) => ({ name, ssl: true })));
    } finally {
      listening.close();
      await log.close();
      await dataSource.destroy();
    }
  });

  it.each(['', '?sslmode=require', '?sslmode=prefer', '?sslmode=verify-ca', '?sslmode=verify-full'])(
    'refuses a server whose certificate another authority signed, with "%s" in the URL',
    async (mode) => {
      await check(`${postgres.url}${mode}`);
      await expect(check(`${postgres.url}${mode}`, other.ca.certificate)).rejects.toMatchObject({
        code: 'unavailable',
        message: UNKNOWN_AUTHORITY,
      });
    },
  );

  it('refuses a server whose certificate is of another host, or has expired', async () => {
    await postgres.renew(own.sign('elsewhere', undefined, 'DNS:postgres.example.com'));
    await expect(check(postgres.url)).rejects.toThrow(/IP: 127\.0\.0\.1 is not in the cert's list/);
    await expect(check(postgres.url.replace('127.0.0.1', 'localhost'))).rejects.toThrow(
      /Host: localhost\. is not in the cert's altnames: DNS:postgres\.example\.com/,
    );

    await postgres.renew(own.sign('expired', new Date(Date.now() - 60_000)));
    await expect(check(postgres.url)).rejects.toThrow('certificate has expired');
  });

  it('leaves a URL that says so unverified, or unencrypted', async () => {
    await check(`${postgres.url}?sslmode=no-verify`, other.ca.certificate);
    await expect(check(`${postgres.url}?sslmode=disable`)).rejects.toThrow('no encryption');
  });

  it('reads the file again for each connection: the server and the file get another authority under a running service', async () => {
    const { adminDatabaseUrl } = configuration(postgres.url);
    const { identity: databaseUrl } = await provisionDatabase(adminDatabaseUrl!, { passwords: { identity: 'secret' } });
    const dataSource = await openDataSource({ databaseUrl, schema: 'identity', entities: [], migrations: [] });
    const database = new Database(dataSource);
    const connect = async () => (await database.connectAlone('tidings-relay')).close();
    try {
      await connect();
      await postgres.renew(other.sign('server'));
      await postgres.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'tidings_identity'`);

      await expect(connect()).rejects.toThrow('unable to verify the first certificate');
      const error: unknown = await database.query('SELECT 1').catch((reason: unknown) => reason);
      // Consumers retry it; as an error of the record it would make a dead letter of each.
      expect([isTransientError(error), (error as { code: string }).code]).toEqual([true, 'unavailable']);

      copyFileSync(other.ca.certificate, caFile);
      await connect();
      await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    } finally {
      await dataSource.destroy();
    }
  });
});
