/** Buckets of latencies: each holds times up to √2 of the one before, the first 1 ms. */
const FACTOR = Math.SQRT2;
/** The last one has everything above 50 days. */
const BUCKET_MAX = 64;

/** The bucket of a latency in ms. */
export function bucketOf(latencyMs: number): number {
  return Math.min(BUCKET_MAX, Math.max(0, Math.ceil(Math.log(Math.max(1, latencyMs)) / Math.log(FACTOR))));
}

/** The middle of a bucket in ms: within 20 % of every latency in it. */
function middleOf(bucket: number) {
  return bucket === 0 ? 1 : Math.round(FACTOR ** (bucket - 0.5));
}

/** The latency, in ms, that `share` of the latencies do not exceed; undefined without one. @param counts by bucket. */
export function percentile(counts: ReadonlyMap<number, number>, share: number): number | undefined {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of [...counts].sort(([one], [other]) => one - other)) {
    seen += count;
    if (seen >= total * share) return middleOf(bucket);
  }
  return undefined;
}
