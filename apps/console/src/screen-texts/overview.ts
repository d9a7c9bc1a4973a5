import { count } from '../format';

/** Texts of the overview. */
export const overview = {
  range: 'Period',
  ranges: { '1h': '1 hour', '6h': '6 hours', '24h': '24 hours', '7d': '7 days' },
  throughput: 'Messages per minute',
  perStep: (minutes: number): string => (minutes === 1 ? 'Messages per minute' : `Messages per ${count(minutes)} minutes`),
  latency: 'Time from acceptance to delivery',
  accepted: 'Accepted',
  delivered: 'Delivered',
  failed: 'Failed',
  p50: 'Half of them within',
  p99: '99 of 100 within',
  waiting: 'Waiting now',
  waitingMany: '10,000+',
  oldest: 'Oldest waits for',
  nothingWaits: 'nothing waits',
  newestFailures: 'Newest failures',
  allFailures: 'All failures',
  noFailures: 'No message has failed.',
  time: 'Time',
} as const;
