import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@tidings/testing/wait-until';
import { FaultFixture } from '../testing/fault-fixture';
import { ReadLoad } from '../testing/read-load';
import { report } from '../testing/report';
import { SendLoad } from '../testing/send-load';
import { withTeardown } from '../testing/tear-down';

/** 125 to 140 sends a second. */
const SEND_EVERY_MS = 7;
const READ_EVERY_MS = 100;
const BROKERS = [1, 2, 3];
const SENT_BEFORE = 500;
/** An orderly restart leaves a broker down for some seconds. */
const DOWN_MS = 3_000;
const WAIT_MS_MAX = 180_000;
const DELIVERY_MS_MAX = 600_000;
const SLOW_MS = 1_000;

it('a rolling restart of three brokers under load fails no send and no read, and loses no message', () =>
  withTeardown(async (teardown) => {
    const fixture = await FaultFixture.start(3);
    teardown.add('the product', () => fixture.end());
    const { system, kafka } = fixture;
    const sends = new SendLoad(system.client, 'roll');
    const reads = new ReadLoad(system.client, fixture.profile);
    const stop = new AbortController();
    await waitUntil(async () => (await system.client.get(fixture.profile)).status === 200, { what: 'a profile' });
    const startedAt = performance.now();

    const loaded = Promise.all([sends.trickle(SEND_EVERY_MS, stop.signal), reads.trickle(READ_EVERY_MS, stop.signal)]);
    try {
      await waitUntil(() => sends.accepted.length >= SENT_BEFORE, { what: 'sends before the restart', timeoutMs: WAIT_MS_MAX });
      for (const id of BROKERS) {
        await kafka.stopBroker(id);
        await delay(DOWN_MS);
        await kafka.startBroker(id);
        await fixture.inSync();
      }
      const before = sends.accepted.length;
      await waitUntil(() => sends.accepted.length >= before + SENT_BEFORE, { what: 'sends after the restart', timeoutMs: WAIT_MS_MAX });
    } finally {
      stop.abort();
      await loaded;
    }

    const seconds = (performance.now() - startedAt) / 1_000;
    const outcomes = [...sends.sent, ...reads.reads];
    const times = outcomes.map(({ startedAt: from, endedAt }) => endedAt - from);
    const failed = [...sends.sent.filter(({ status }) => status !== 202), ...reads.reads.filter(({ status }) => status !== 200)];
    report(
      `rolling restart: ${Math.round(sends.sent.length / seconds)} sends/s, sends ${JSON.stringify(sends.tally)}, ` +
        `reads ${JSON.stringify(reads.tally)}, slowest answer ${Math.round(Math.max(...times))} ms, ` +
        `over ${SLOW_MS} ms ${times.filter((ms) => ms > SLOW_MS).length}, failed ${JSON.stringify(failed.slice(0, 10))}`,
    );
    const ids = sends.accepted.map(({ id }) => id);
    const messages = await fixture.tables.untilFinished(ids, DELIVERY_MS_MAX);
    report(`rolling restart: ${messages.length} finished, second copies ${fixture.secondCopies}`);
    expect(failed.map(({ status, error, startedAt: at }) => ({ status, error, atMs: Math.round(at - startedAt) }))).toEqual([]);
    expect(messages.filter(({ record }) => record.status !== 'DELIVERED').map(({ id }) => id)).toEqual([]);
    expect(messages).toHaveLength(ids.length);
  }));
