import { describeWithKafka } from '@tidings/testing/kafka';
import { describeEventLog } from '../event-log.contract';
import { KafkaLogs } from './kafka-under-test.fixture';

describeWithKafka('On a real broker', () => describeEventLog('Kafka', () => KafkaLogs.onShared()));
