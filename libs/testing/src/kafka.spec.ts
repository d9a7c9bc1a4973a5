import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { askForBrokers } from '@tidings/kafka-runner/broker-question';
import { Kafka, logLevel } from 'kafkajs';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, startTestKafka } from './kafka';
import { SourceProcess } from './source-process';
import { waitUntil } from './wait-until';

/** A guard: a broker may have other things to do. */
const CONNECTING_MS_MAX = 10_000;
const FIXTURE = require.resolve('./shared-kafka.fixture');

const answerOf = (address: string): Promise<number[] | undefined> => askForBrokers(Number(address.split(':')[1]));

describeWithKafka('the Kafka that suites share', () => {
  it(
    'is the same for every process of the run that asks, and outlives each of them',
    async () => {
      const others = [1, 2].map(() => SourceProcess.start(FIXTURE));
      const mine = await sharedTestKafka();
      const theirs = await Promise.all(others.map((other) => other.says(/brokers (\S+)\n/, { timeoutMs: KAFKA_START_TIMEOUT_MS })));

      expect(theirs.map(([, brokers]) => brokers)).toEqual([mine.brokers.join(), mine.brokers.join()]);
      expect(await Promise.all(others.map(({ ended }) => ended))).toEqual([0, 0]);
      expect(await waitUntil(() => answerOf(mine.brokers[0]!))).toEqual([1]);
    },
    KAFKA_START_TIMEOUT_MS,
  );

  it('makes no topic that is only asked for', async () => {
    const { brokers } = await sharedTestKafka();
    const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, connectionTimeout: CONNECTING_MS_MAX });
    const [producer, admin] = [kafka.producer({ retry: { initialRetryTime: 50, retries: 2 } }), kafka.admin()];
    const [asked, made] = [`asked-${randomUUID()}`, `made-${randomUUID()}`];
    await Promise.all([producer.connect(), admin.connect()]);
    try {
      await expect(producer.send({ topic: asked, messages: [{ value: 'lost' }] })).rejects.toThrow(/does not host this topic/);

      // A broker makes topics one after the other: what was asked for before would be there before.
      await admin.createTopics({ waitForLeaders: false, topics: [{ topic: made }] });
      const topics = await waitUntil(async () => {
        const listed = await admin.listTopics();
        return listed.includes(made) ? listed : undefined;
      });
      expect(topics).not.toContain(asked);
      await admin.deleteTopics({ topics: [made] });
    } finally {
      await Promise.all([producer.disconnect(), admin.disconnect()]);
    }
  });
});

describeWithKafka("a suite's own Kafka", () => {
  it(
    'is another one, and leaves nothing behind',
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
