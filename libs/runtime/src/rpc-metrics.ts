import type { RpcObserver } from '@tidings/rpc/rpc-observer';
import { METRICS } from './metric-table';
import { metrics } from './metrics';

const CLIENT = metrics.histogram(METRICS.rpcClient);

const secondsSince = (sinceMs: number) => Math.max(0, performance.now() - sinceMs) / 1_000;

/** Measures the calls of this process, and those that it answers. */
export const rpcObserver: RpcObserver = {
  called: (operation, outcome, sinceMs) => CLIENT.observe({ operation, outcome }, secondsSince(sinceMs)),
  // The gateway answers no calls, and does not show the metric.
  answered: (operation, outcome, sinceMs) => metrics.histogram(METRICS.rpcServer).observe({ operation, outcome }, secondsSince(sinceMs)),
};
