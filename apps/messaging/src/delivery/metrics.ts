import { metrics } from '@tidings/runtime/metrics';

/** Counters of delivery. */
export const deliveryMetrics = {
  attempts: metrics.counter({
    name: 'tidings_delivery_attempts_total',
    help: 'Provider calls, by outcome',
    labels: ['provider', 'outcome'],
  }),
  recovered: metrics.counter({
    name: 'tidings_delivery_attempts_recovered_total',
    help: 'Attempts whose process ended before their outcome was known; each was made again and may be a second copy',
  }),
};
