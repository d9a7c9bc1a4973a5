import { existsSync } from 'node:fs';
import { askForBrokers } from '@tidings/kafka-runner/broker-question';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, startTestKafka } from './kafka';
import { SourceProcess } from './source-process';
import { waitUntil } from './wait-until';

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
