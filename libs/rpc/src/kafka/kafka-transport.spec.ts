import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeRpcTransport } from '../rpc-transport.contract';
import { KafkaTransport } from './kafka-transport';

describeWithKafka('over Kafka', () => {
  let brokers: string[];
  beforeAll(async () => {
    ({ brokers } = await sharedTestKafka());
  }, KAFKA_START_TIMEOUT_MS);

  // As a process does: a broker may be busy, and a connection is tried again until its topics are known.
  describeRpcTransport(
    'operations between processes',
    () => waitUntil(() => KafkaTransport.connect({ settings: { brokers, topicPrefix: `rpc-${process.pid}.` }, clientId: 'spec' })),
    { keepsRequests: true },
  );
});
