import { describeWithKafka } from '@tidings/testing/kafka';
import { describeEventLog } from '../event-log.contract';
import { KafkaUnderTest } from './kafka-under-test.fixture';

describeWithKafka('On a real broker', () => describeEventLog('Kafka', () => KafkaUnderTest.start()));
