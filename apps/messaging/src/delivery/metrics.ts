import { Counter } from 'prom-client';

/** What delivery counts. */
export const deliveryMetrics = {
  attempts: new Counter({
    name: 'tidings_delivery_attempts_total',
    help: 'Calls of providers, by how they ended',
    labelNames: ['provider', 'outcome'],
  }),
  recovered: new Counter({
    name: 'tidings_delivery_attempts_recovered_total',
    help: 'Attempts whose process ended before their outcome was known; each was made again and may be a second copy',
  }),
};
