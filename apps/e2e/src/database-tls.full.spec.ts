import path from 'node:path';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { Certificates } from '@tidings/testing/certificates';
import { describeWithKafka } from '@tidings/testing/kafka';
import { TlsPostgres } from '@tidings/testing/tls-postgres';
import { waitUntil } from '@tidings/testing/wait-until';
import { passwordsOfRoles, runMigrate } from './testing/migrate';
import { System } from './testing/system';
import { withTeardown } from './testing/tear-down';

const ROOT = path.resolve(__dirname, '../../..');

describeWithKafka('PostgreSQL that accepts TLS alone', () => {
  it('is migrated and served by the five processes, with DATABASE_CA_FILE', () =>
    withTeardown(async (teardown) => {
      const [own, other] = [new Certificates(), new Certificates()];
      teardown.add('the certificates', () => [own, other].forEach((authority) => authority.remove()));
      const postgres = await TlsPostgres.start(own.sign('server'));
      teardown.add('PostgreSQL', () => postgres.stop());

      const migrate = (caFile: string) =>
        runMigrate(ROOT, { ADMIN_DATABASE_URL: postgres.url, DATABASE_CA_FILE: caFile, ...passwordsOfRoles });
      await expect(migrate(other.ca.certificate)).rejects.toThrow(
        /Tidings cannot migrate: PostgreSQL at \S+ cannot be used: .*is its CA in DATABASE_CA_FILE\?/,
      );
      await expect(migrate(own.ca.certificate)).resolves.toContain('The database is ready for the services');

      const smtp = await CapturingSmtp.start();
      teardown.add('the mail server', () => smtp.close());
      const environment = { DATABASE_CA_FILE: own.ca.certificate };
      const system = await System.start({ topology: 'kafka', smtpUrl: smtp.url, databaseUrl: postgres.url, environment });
      teardown.add('the product', () => system.stop());
      await system.client.send('ada@example.com');
      await waitUntil(() => smtp.mailsTo('ada@example.com').length === 1, { what: 'the mail' });
      const open = await postgres.query<{ name: string }>(
        `SELECT DISTINCT application_name AS name FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl ORDER BY name`,
      );
      expect(open.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['tidings-messaging', 'tidings-messaging-health', 'tidings-relay']),
      );
    }));
});
