import { describeEventLog } from '../event-log.contract';
import { describeLogUnavailable } from '../log-unavailable.contract';
import { PostgresUnderTest } from './postgres-under-test.fixture';

describeEventLog('PostgreSQL', () => PostgresUnderTest.start());
describeLogUnavailable('PostgreSQL', () => PostgresUnderTest.start());
