import { timesOf } from '@tidings/testing/campaign';
import { AudienceInstances } from '../testing/audience-instances';
import { describeDisorder } from './disorder.contract';

/** Pages of two, so that a dozen people take a rebuild many pages. */
describeDisorder('the embedded log', timesOf({ quick: 8, full: 20 }), () =>
  AudienceInstances.create({ pageSize: 2, sweepMs: 50, leaseMs: 2_000 }),
);
