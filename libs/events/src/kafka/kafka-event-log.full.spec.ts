import { describeWithKafka } from '@tidings/testing/kafka';
import { describeLogUnavailable } from '../log-unavailable.contract';
import { KafkaUnderTest } from './kafka-under-test.fixture';

describeWithKafka('On a real broker', () => describeLogUnavailable('Kafka', () => KafkaUnderTest.start()));
