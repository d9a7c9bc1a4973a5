import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { createTestDatabase } from '@tidings/testing/database';
import { describeWithKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { showOutputOnFailure } from '../testing/failure-output';
import { Replicas, ROLES } from '../testing/replicas';
import { report } from '../testing/report';
import { SendLoad, untilMailed } from '../testing/send-load';
import { withTeardown } from '../testing/tear-down';

/** 200 requests per second. */
const SEND_EVERY_MS = 5;
const RATE_MIN = 198;
/** Sends are as late as this at most when the next process is replaced. */
const LATE_MS_MAX = 50;
const WARM_SENDS = 1_000;
const DELIVERY_TIMEOUT_MS = 300_000;
/** Of every role. */
const REPLICAS = 2;

describeWithKafka('a rolling restart of every process under 200 requests per second', () => {
  it('answers every request, and loses no message', () =>
    withTeardown(async (teardown) => {
      const database = await createTestDatabase();
      teardown.add('the database', () => database.drop());
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      const replicas = await Replicas.create({ databaseUrlOf: (service) => database.urlOf(service), smtpUrl: smtp.url });
      teardown.add('the processes', () => replicas.end());
      showOutputOnFailure(replicas);
      await replicas.startAll(REPLICAS);

      const stop = new AbortController();
      teardown.add('the load', () => stop.abort());
      const load = new SendLoad(replicas.client, 'rolling');
      const loaded = load.trickle(SEND_EVERY_MS, stop.signal);
      await waitUntil(() => load.accepted.length >= WARM_SENDS, { what: 'sends before the restarts', timeoutMs: DELIVERY_TIMEOUT_MS });
      const from = performance.now();
      for (const role of ROLES) {
        for (const replica of replicas.of(role)) {
          await replicas.replace(replica);
          // The start of a process delays the load where both have the same processors.
          await waitUntil(() => load.lateMs < LATE_MS_MAX, { what: 'the sends that are late', timeoutMs: DELIVERY_TIMEOUT_MS });
        }
      }
      const seconds = (performance.now() - from) / 1_000;
      stop.abort();
      await loaded;

      const rate = load.sent.filter(({ startedAt }) => startedAt >= from).length / seconds;
      report(
        `${load.sent.length} sends, ${rate.toFixed(0)}/s during ${seconds.toFixed(0)} s of restarts, ` +
          `${replicas.client.retried} answered by another gateway`,
      );
      expect(rate).toBeGreaterThan(RATE_MIN);
      expect(load.tally).toEqual({ 202: load.sent.length });
      await untilMailed(smtp, load, DELIVERY_TIMEOUT_MS);
    }));
});
