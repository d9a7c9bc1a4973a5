import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka } from '@tidings/testing/kafka';
import { SourceProcess } from '@tidings/testing/source-process';

const FIXTURE = require.resolve('./idle.fixture');
/** In half a second: kafkajs checks for late requests every 100 ms; unpatched it wakes up five hundred times and more. */
const WAKE_UPS_MAX = 200;

describeWithKafka('An idle process that is connected to Kafka', () => {
  it(
    'hardly ever wakes up',
    async () => {
      const { brokers } = await sharedTestKafka();

      const idle = SourceProcess.start(FIXTURE, { parameters: [brokers.join()] });
      const [, times] = await idle.untilOutput(/woke up (\d+) times\n/);

      expect(Number(times)).toBeLessThan(WAKE_UPS_MAX);
      expect(await idle.ended).toBe(0);
    },
    KAFKA_START_TIMEOUT_MS,
  );
});
