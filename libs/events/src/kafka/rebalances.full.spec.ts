import { setTimeout as delay } from 'node:timers/promises';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, TEST_SIGNING, TEST_TOPICS } from '@tidings/testing/kafka';
import '@tidings/testing/quiet';
import { waitUntil } from '@tidings/testing/wait-until';
import { newTopic } from '../spec-events.fixture';
import { KafkaEventLog } from './kafka-event-log';
import { Handled, Load, report } from './load.fixture';

jest.setTimeout(300_000);

const STORM_ROUNDS = 4;
const CHANGE_EVERY_MS = 1_000;
/** Handlers are busy most of the time, so that every rebalance meets a batch in work. */
const WORK_MS = 30;

describeWithKafka('A group whose members join and leave under load', () => {
  const logs: KafkaEventLog[] = [];
  let brokers: string[];
  const open = async (): Promise<KafkaEventLog> => {
    const log = await KafkaEventLog.connect({
      settings: { brokers, topicPrefix: `storm-${process.pid}.`, topics: TEST_TOPICS, signing: TEST_SIGNING },
      clientId: 'spec',
    });
    logs.push(log);
    return log;
  };

  beforeAll(async () => {
    ({ brokers } = await sharedTestKafka());
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => Promise.all(logs.map((log) => log.close())));

  it('handles everything, in order, one batch at a time in each member', async () => {
    const topic = newTopic();
    const [writer, steady, changing] = [await open(), await open(), await open()];
    const handled = new Handled();
    await steady.consume(topic, { group: 'g', maxBatch: 50 }, handled.handler(WORK_MS));
    const load = new Load(writer, topic, { runs: 24 });
    await waitUntil(() => handled.total > 100);

    for (let round = 1; round <= STORM_ROUNDS; round++) {
      const temporary = await changing.consume(topic, { group: 'g', maxBatch: 50 }, handled.handler(WORK_MS));
      await delay(CHANGE_EVERY_MS);
      await temporary.stop();
      await delay(CHANGE_EVERY_MS);
    }
    await load.stop();

    await handled.expectAll(load);
    expect(handled.overlapping).toBe(0);
    report(`${2 * STORM_ROUNDS} changes of the group`, {
      acknowledged: load.total,
      batches: handled.batches,
      'handled again': handled.again,
    });
  });
});
