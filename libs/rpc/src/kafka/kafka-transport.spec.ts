import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka } from '@tidings/testing/kafka';
import { describeRpcTransport } from '../rpc-transport.contract';
import { KafkaTransport } from './kafka-transport';

describeWithKafka('over Kafka', () => {
  let brokers: string[];
  beforeAll(async () => {
    ({ brokers } = await sharedTestKafka());
  }, KAFKA_START_TIMEOUT_MS);

  describeRpcTransport('operations between processes', () =>
    KafkaTransport.connect({ settings: { brokers, topicPrefix: `rpc-${process.pid}.` }, clientId: 'spec' }),
  );
});
