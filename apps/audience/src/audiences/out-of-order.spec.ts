import { timesOf } from '@tidings/testing/campaign';
import { AudienceInstances } from '../testing/audience-instances';
import { describeOutOfOrderEvents } from './out-of-order.contract';

/** Pages of two: a rebuild of a dozen people takes many pages. */
describeOutOfOrderEvents('the embedded log', timesOf({ quick: 8, full: 20 }), () =>
  AudienceInstances.create({ pageSize: 2, sweepMs: 50, leaseMs: 2_000 }),
);
