import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { describeWithKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { untilAllDelivered } from '../testing/delivered';
import { showOutputOnFailure } from '../testing/failure-output';
import { passwordsOfRoles, roleUrl, runMigrate } from '../testing/migrate';
import { Replicas, THIS_VERSION } from '../testing/replicas';
import { ReplicatedPostgres } from '../testing/replicated-postgres';
import { report } from '../testing/report';
import { SendLoad, untilMailed } from '../testing/send-load';
import { withTeardown } from '../testing/tear-down';

const SEND_EVERY_MS = 20;
/** Sends that the standby gets, sends that it does not get, and sends after it was promoted. */
const PHASE_SENDS = 300;
const PHASE_TIMEOUT_MS = 120_000;
const DELIVERY_TIMEOUT_MS = 300_000;
/** Many times what a quiet machine needs. */
const TEST_MS_MAX = 1_800_000;

jest.setTimeout(TEST_MS_MAX);

describeWithKafka('a failover to an asynchronous standby that lags, under load', () => {
  it('loses no accepted message', () =>
    withTeardown(async (teardown) => {
      const postgres = await ReplicatedPostgres.start();
      teardown.add('PostgreSQL', () => postgres.remove());
      await runMigrate(THIS_VERSION, { ADMIN_DATABASE_URL: postgres.adminUrl, ...passwordsOfRoles });
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      const databaseUrlOf = (service: string): string => roleUrl(postgres.adminUrl, service);
      const replicas = await Replicas.create({ databaseUrlOf, smtpUrl: smtp.url });
      teardown.add('the processes', () => replicas.end());
      showOutputOnFailure(replicas);
      await replicas.startAll(1);

      const stop = new AbortController();
      teardown.add('the load', () => stop.abort());
      const load = new SendLoad(replicas.client, 'failover');
      const loaded = load.trickle(SEND_EVERY_MS, stop.signal);
      const phase = async (what: string): Promise<void> => {
        const enough = load.accepted.length + PHASE_SENDS;
        await waitUntil(() => load.accepted.length >= enough, { what, timeoutMs: PHASE_TIMEOUT_MS });
      };
      await phase('sends that the standby gets');
      await postgres.untilCaughtUp();
      postgres.stopReplication();
      const before = load.accepted.length;
      await phase('sends that the standby does not get');
      const lagging = load.accepted.slice(before);
      await waitUntil(() => lagging.some(({ email }) => smtp.mailsTo(email).length > 0), { what: 'a mail of a send that is lost' });
      const lostBytes = await postgres.failOver();
      await phase('sends after the failover');
      stop.abort();
      await loaded;

      await untilMailed(smtp, load, DELIVERY_TIMEOUT_MS);
      await untilAllDelivered(
        replicas.client,
        load.accepted.map(({ id }) => id),
        DELIVERY_TIMEOUT_MS,
      );
      const copies = [...smtp.copies().values()].filter((count) => count > 1).length;
      report(`${load.sent.length} sends ${JSON.stringify(load.tally)}; ${lostBytes} bytes of WAL lost, ${copies} second copies`);
      expect(lostBytes).toBeGreaterThan(0);
      expect(copies).toBeLessThanOrEqual(load.accepted.length - before);
    }));
});
