import { setTimeout as delay } from 'node:timers/promises';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { newTopic } from '../spec-events.fixture';
import { REQUEST_TIMEOUT_MS } from '@tidings/kafka/client';
import { KafkaUnderTest } from './kafka-under-test.fixture';
import { Handled, Load, report } from './load.fixture';

jest.setTimeout(300_000);

const FROZEN_MS = REQUEST_TIMEOUT_MS + 3_000;
const RUNS = 8;
/** Time limit of a wait, so that a failing test ends. */
const RECOVERED_MS_MAX = 120_000;

describeWithKafka('Events over one broker', () => {
  let under: KafkaUnderTest;

  beforeAll(async () => {
    under = await KafkaUnderTest.start();
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => under.close());

  it('are all stored after the broker was frozen past the request timeout, with long and with short append deadlines', async () => {
    const topics = [newTopic(), newTopic()];
    const [writer, hasty, reader] = [await under.open(), await under.open(), await under.open()];
    const handled = new Handled();
    for (const topic of topics) await reader.consume(topic, { group: 'g' }, handled.handler());
    const loads = [
      new Load(writer, topics[0]!, { runs: RUNS, deadlineMs: 15_000 }),
      new Load(hasty, topics[1]!, { runs: RUNS, deadlineMs: 2_000, prefix: 'hasty' }),
    ];
    await waitUntil(() => loads.every(({ total }) => total > 100));

    await under.cluster.freeze(1);
    await delay(FROZEN_MS);
    await under.cluster.thaw(1);
    const thawedAt = performance.now();
    const before = loads.map(({ total }) => total);
    await waitUntil(() => loads.every(({ total }, index) => total > before[index]! + 100), { timeoutMs: RECOVERED_MS_MAX });
    const recoveredMs = performance.now() - thawedAt;
    await Promise.all(loads.map((load) => load.stop()));

    const inLog = new Handled();
    const auditor = await under.open();
    for (const topic of topics) await auditor.consume(topic, { group: 'whole' }, inLog.handler());
    for (const load of loads) {
      await handled.expectAll(load);
      await inLog.expectAll(load);
    }
    report(`broker frozen ${FROZEN_MS} ms`, {
      acknowledged: loads.map(({ total }) => total),
      failures: loads.map(({ failures }) => failures),
      'stored again': inLog.again,
      'handled again': handled.again,
      'longest append ms': loads.map(({ longestMs }) => Math.round(longestMs)),
      'recovered after ms': Math.round(recoveredMs),
    });
  });

  it('are all stored after the broker was killed and restarted', async () => {
    const topic = newTopic();
    const [writer, reader] = [await under.open(), await under.open()];
    const [handled, broadcasted] = [new Handled(), new Handled()];
    await reader.consume(topic, { group: 'g' }, handled.handler());
    const broadcast = await reader.broadcast(topic, (record) => broadcasted.note([record]));
    const load = new Load(writer, topic, { runs: RUNS, deadlineMs: 3_000 });
    await waitUntil(() => handled.total > 200);

    await under.cluster.kill(1);
    await waitUntil(() => broadcast.interruptedForMs() > 1_000);
    await under.cluster.startBroker(1);
    const backAt = performance.now();
    const before = handled.total;
    await waitUntil(() => handled.total > before + 200, { timeoutMs: RECOVERED_MS_MAX });
    const recoveredMs = performance.now() - backAt;
    await load.stop();

    await handled.expectAll(load);
    await broadcasted.expectAll(load);
    await waitUntil(() => broadcast.interruptedForMs() === 0);
    report('broker killed and restarted', {
      acknowledged: load.total,
      failures: load.failures,
      'handled again': handled.again,
      'broadcast again': broadcasted.again,
      'recovered after ms': Math.round(recoveredMs),
    });
  });
});
