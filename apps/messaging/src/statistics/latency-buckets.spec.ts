import { bucketOf, percentile } from './latency-buckets';

const countsOf = (...latencies: number[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const latency of latencies) counts.set(bucketOf(latency), (counts.get(bucketOf(latency)) ?? 0) + 1);
  return counts;
};

it.each([1, 2, 3, 9, 180, 181, 1_000, 59_999, 72 * 3_600_000])('finds %d ms within 20 %%', (latency) => {
  const found = percentile(countsOf(latency), 0.5)!;
  expect(Math.abs(found - latency)).toBeLessThanOrEqual(Math.max(1, latency * 0.2));
});

it('finds the latency that a share of the messages do not exceed', () => {
  const counts = countsOf(...Array.from({ length: 99 }, () => 100), 10_000);

  expect(percentile(counts, 0.5)).toBe(percentile(countsOf(100), 1));
  expect(percentile(counts, 0.99)).toBe(percentile(countsOf(100), 1));
  expect(percentile(counts, 1)).toBe(percentile(countsOf(10_000), 1));
  expect(percentile(new Map(), 0.5)).toBeUndefined();
});

it('has a bucket for every time', () => {
  expect([-5, 0, 1].map(bucketOf)).toEqual([0, 0, 0]);
  expect(bucketOf(Number.MAX_SAFE_INTEGER)).toBe(64);
});
