import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, TEST_SIGNING, TEST_TOPICS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeRpcTransport } from '../rpc-transport.contract';
import { KafkaTransport } from './kafka-transport';

describeWithKafka('over Kafka', () => {
  let brokers: string[];
  beforeAll(async () => {
    ({ brokers } = await sharedTestKafka());
  }, KAFKA_START_TIMEOUT_MS);

  // Like a process at its start: retries until the broker is ready and knows the topics.
  describeRpcTransport(
    'operations between processes',
    () =>
      waitUntil(() =>
        KafkaTransport.connect({
          settings: { brokers, topicPrefix: `rpc-${process.pid}.`, topics: TEST_TOPICS, signing: TEST_SIGNING },
          role: 'gateway',
        }),
      ),
    { retainsRequests: true },
  );
});
