import { randomBytes } from 'node:crypto';
import { KafkaEventLog } from '@tidings/events/kafka/kafka-event-log';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, TEST_SIGNING, TEST_TOPICS } from '@tidings/testing/kafka';
import { AudienceInstances } from '../testing/audience-instances';
import { describeOutOfOrderEvents } from './out-of-order.contract';

jest.setTimeout(KAFKA_START_TIMEOUT_MS);

async function start(): Promise<AudienceInstances> {
  const { brokers } = await sharedTestKafka();
  const settings = { brokers, topicPrefix: `${randomBytes(3).toString('hex')}.`, topics: TEST_TOPICS, signing: TEST_SIGNING };
  return AudienceInstances.create({ pageSize: 2, sweepMs: 50, leaseMs: 2_000 }, () =>
    KafkaEventLog.connect({ settings, clientId: 'audience-spec' }),
  );
}

describeWithKafka('With a real broker', () => describeOutOfOrderEvents('Kafka', 6, start));
