import { describeWithKafka } from '@tidings/testing/kafka';
import { describeLogAway } from '../log-away.contract';
import { KafkaUnderTest } from './kafka-under-test.fixture';

describeWithKafka('On a real broker', () => describeLogAway('Kafka', () => KafkaUnderTest.start()));
