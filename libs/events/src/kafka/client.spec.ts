import { createKafkaClient } from './client';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka } from '@tidings/testing/kafka';
import '@tidings/testing/quiet';
import { setTimeout as delay } from 'node:timers/promises';

const IDLE_MS = 500;
/** kafkajs looks for requests that took too long every 100 ms; left alone it sets a thousand timers a second beside. */
const TIMERS_MAX = 50;

describeWithKafka('A client that has nothing to do', () => {
  let brokers: string[];
  beforeAll(async () => {
    ({ brokers } = await sharedTestKafka());
  }, KAFKA_START_TIMEOUT_MS);

  it('sets hardly any timers', async () => {
    const admin = createKafkaClient({ brokers, topicPrefix: '' }, 'spec').admin();
    await admin.connect();
    await admin.listTopics();

    const timers = jest.spyOn(globalThis, 'setTimeout');
    await delay(IDLE_MS);
    const set = timers.mock.calls.length;
    timers.mockRestore();
    await admin.disconnect();

    expect(set).toBeLessThan(TIMERS_MAX);
  });
});
