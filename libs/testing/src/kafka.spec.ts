import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { queryBrokers } from '@tidings/kafka-runner/broker-query';
import { Kafka, logLevel } from 'kafkajs';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, startTestKafka } from './kafka';
import { SourceProcess } from './source-process';
import { waitUntil } from './wait-until';

/** Time limit: a broker may be busy. */
const CONNECTING_MS_MAX = 10_000;
const FIXTURE = require.resolve('./shared-kafka.fixture');

const answerOf = (address: string): Promise<number[] | undefined> => queryBrokers(Number(address.split(':')[1]));

describeWithKafka('the shared Kafka', () => {
  it(
    'is the same for every process of the run, and outlives each of them',
    async () => {
      const others = [1, 2].map(() => SourceProcess.start(FIXTURE));
      const mine = await sharedTestKafka();
      const theirs = await Promise.all(others.map((other) => other.untilOutput(/brokers (\S+)\n/, { timeoutMs: KAFKA_START_TIMEOUT_MS })));

      expect(theirs.map(([, brokers]) => brokers)).toEqual([mine.brokers.join(), mine.brokers.join()]);
      expect(await Promise.all(others.map(({ ended }) => ended))).toEqual([0, 0]);
      expect(await waitUntil(() => answerOf(mine.brokers[0]!))).toEqual([1]);
    },
    KAFKA_START_TIMEOUT_MS,
  );

  it('does not create a requested topic', async () => {
    const { brokers } = await sharedTestKafka();
    const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, connectionTimeout: CONNECTING_MS_MAX });
    const [producer, admin] = [kafka.producer({ retry: { initialRetryTime: 50, retries: 2 } }), kafka.admin()];
    const [requested, created] = [`requested-${randomUUID()}`, `created-${randomUUID()}`];
    await Promise.all([producer.connect(), admin.connect()]);
    try {
      await expect(producer.send({ topic: requested, messages: [{ value: 'lost' }] })).rejects.toThrow(/does not host this topic/);

      // A broker creates topics one after another: the requested one would exist before this one.
      await admin.createTopics({ waitForLeaders: false, topics: [{ topic: created }] });
      const topics = await waitUntil(async () => {
        const listed = await admin.listTopics();
        return listed.includes(created) ? listed : undefined;
      });
      expect(topics).not.toContain(requested);
      await admin.deleteTopics({ topics: [created] });
    } finally {
      await Promise.all([producer.disconnect(), admin.disconnect()]);
    }
  });
});

describeWithKafka("a suite's own Kafka", () => {
  it(
    'is a separate one, and leaves no files',
    async () => {
      const [own, shared] = await Promise.all([startTestKafka(), sharedTestKafka()]);
      expect(own.brokers).not.toEqual(shared.brokers);
      expect(await waitUntil(() => answerOf(own.brokers[0]!))).toEqual([1]);

      await own.remove();

      expect(existsSync(own.directory)).toBe(false);
      await expect(answerOf(own.brokers[0]!)).resolves.toBeUndefined();
    },
    KAFKA_START_TIMEOUT_MS,
  );
});
