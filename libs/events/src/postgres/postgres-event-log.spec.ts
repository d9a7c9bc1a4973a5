import { describeEventLog } from '../event-log.contract';
import { describeLogAway } from '../log-away.contract';
import { PostgresUnderTest } from './postgres-under-test.fixture';

describeEventLog('PostgreSQL', () => PostgresUnderTest.start());
describeLogAway('PostgreSQL', () => PostgresUnderTest.start());
