import { describeEventLog } from '../event-log.contract';
import { PostgresUnderTest } from './postgres-under-test.fixture';

describeEventLog('PostgreSQL', () => PostgresUnderTest.start());
