import { QUICK } from './testing/hostile/settings';
import { describeWhateverIsSent } from './testing/hostile/whatever-is-sent.contract';

describeWhateverIsSent(QUICK);
