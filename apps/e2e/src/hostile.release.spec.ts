import { LONG } from './testing/hostile/settings';
import { describeHostileRequests } from './testing/hostile/hostile-requests.contract';

describeHostileRequests(LONG);
