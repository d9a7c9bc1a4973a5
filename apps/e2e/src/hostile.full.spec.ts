import { FULL } from './testing/hostile/settings';
import { describeWhateverIsSent } from './testing/hostile/whatever-is-sent.contract';

describeWhateverIsSent(FULL);
