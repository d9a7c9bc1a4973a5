import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import type { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { describeWithKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { showOutputOnFailure } from '../testing/failure-output';
import { passwordsOfRoles, roleUrl, runMigrate } from '../testing/migrate';
import { PreviousRelease } from '../testing/previous-release';
import { Replicas, ROLES, THIS_VERSION } from '../testing/replicas';
import { report } from '../testing/report';
import { SendLoad, untilMailed } from '../testing/send-load';
import { withTeardown } from '../testing/tear-down';

const SEND_EVERY_MS = 20;
/** Sends in each phase. */
const PHASE_SENDS = 200;
const PHASE_TIMEOUT_MS = 120_000;
const DELIVERY_TIMEOUT_MS = 300_000;
const BUILD_TIMEOUT_MS = 600_000;
const SERVER_CONNECTIONS = 300;

describeWithKafka('an upgrade from the previous release, and back, under load', () => {
  let previous: PreviousRelease;

  beforeAll(async () => {
    previous = await PreviousRelease.build();
  }, BUILD_TIMEOUT_MS);

  afterAll(() => previous?.remove());

  it('answers every request and loses no message', () =>
    withTeardown(async (teardown) => {
      const { adminUrl, environment } = await startPostgres(teardown);
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      await runMigrate(previous.folder, environment);
      const replicas = await Replicas.create({ databaseUrlOf: (service) => roleUrl(adminUrl, service), smtpUrl: smtp.url });
      teardown.add('the processes', () => replicas.end());
      showOutputOnFailure(replicas);
      await replicas.startAll(1, previous.folder);

      const stop = new AbortController();
      teardown.add('the load', () => stop.abort());
      const load = new SendLoad(replicas.client, 'upgrade');
      const loaded = load.trickle(SEND_EVERY_MS, stop.signal);
      const phase = async (what: string): Promise<void> => {
        const enough = load.sent.length + PHASE_SENDS;
        await waitUntil(() => load.sent.length >= enough, { what, timeoutMs: PHASE_TIMEOUT_MS });
        expect({ what, tally: load.tally }).toEqual({ what, tally: { 202: load.sent.length } });
      };
      const replaceAll = async (folder: string): Promise<void> => {
        for (const role of ROLES) {
          for (const replica of replicas.of(role)) await replicas.replace(replica, folder);
          await phase(`sends after ${role} was replaced`);
        }
      };

      await phase('sends of the previous release on its own schema');
      const output = await runMigrate(THIS_VERSION, environment);
      await phase('sends of the previous release on the schema of this one');
      await replaceAll(previous.folder); // its processes start on the newer schema
      await replaceAll(THIS_VERSION);
      await replaceAll(previous.folder); // back, with data of this version
      await replaceAll(THIS_VERSION);
      stop.abort();
      await loaded;

      report(`${load.sent.length} sends, ${replicas.client.retried} answered by another gateway; ${migratedBy(output)}`);
      expect(load.tally).toEqual({ 202: load.sent.length });
      await untilMailed(smtp, load, DELIVERY_TIMEOUT_MS);
    }));

  it('starts this version on the schema of the previous one, which it migrates itself, and waits there with `never`', () =>
    withTeardown(async (teardown) => {
      const { adminUrl, environment } = await startPostgres(teardown);
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      await runMigrate(previous.folder, environment);
      const databaseUrlOf = (service: string): string => roleUrl(adminUrl, service);
      const earlier = await Replicas.create({ databaseUrlOf, smtpUrl: smtp.url });
      teardown.add('the previous release', () => earlier.end());
      await earlier.startAll(1, previous.folder);
      const id = await earlier.client.send('before@example.com');
      await earlier.client.messageOnce('DELIVERED', id, { timeoutMs: DELIVERY_TIMEOUT_MS });

      const replicas = await Replicas.create({ databaseUrlOf, smtpUrl: smtp.url });
      teardown.add('the processes', () => replicas.end());
      showOutputOnFailure(replicas);
      const waiting = replicas.start('identity', THIS_VERSION, { TIDINGS_MIGRATE: 'never' });
      const identity = await waitUntil(() => replicas.of('identity')[0], { what: 'the process of identity' });
      await identity.program.prints(/run `tidings migrate` of this version/, { timeoutMs: PHASE_TIMEOUT_MS });
      await replicas.startAll(1);
      await waiting; // another process has migrated
      const record = await replicas.client.messageOnce('DELIVERED', await replicas.client.send('after@example.com'), {
        timeoutMs: DELIVERY_TIMEOUT_MS,
      });
      expect(record.recipient).toBeDefined();
    }));
});

/** A server whose roles have the passwords of `environment`, for `tidings migrate`. */
async function startPostgres(teardown: Teardown): Promise<{ adminUrl: string; environment: NodeJS.ProcessEnv }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tidings-upgrade-'));
  teardown.add('the folder', () => rmSync(directory, { recursive: true, force: true }));
  const postgres = await EmbeddedPostgres.start({ directory, durable: false, settings: { max_connections: SERVER_CONNECTIONS } });
  teardown.add('PostgreSQL', () => postgres.stop());
  return { adminUrl: postgres.adminUrl, environment: { ADMIN_DATABASE_URL: postgres.adminUrl, ...passwordsOfRoles } };
}

function migratedBy(output: string): string {
  return output
    .split('\n')
    .filter((line) => line.includes('was migrated'))
    .join('; ');
}
