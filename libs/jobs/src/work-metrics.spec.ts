import '@tidings/testing/quiet';
import { metrics } from '@tidings/runtime/metrics';
import { LeaseRenewer } from './lease-renewer';
import { announceLateness, claimMetrics, workMetrics } from './work-metrics';
import { WorkTimes } from './work-times';

/** The samples of a queue, by the names of their metrics without `tidings_work_`; of histograms their counts and sums. */
async function samplesOf(queue: string): Promise<Record<string, number>> {
  const text = await metrics.registry.metrics();
  const samples = text.matchAll(/^tidings_work_(\w+)\{queue="([^"]+)"\} (\S+)$/gm);
  return Object.fromEntries([...samples].filter(([, , of]) => of === queue).map(([, name, , value]) => [name!, Number(value)]));
}

const CLAIMS_OF_NONE = { claimed_total: 0, recovered_total: 0 };
const WORK_OF_NONE = { completed_total: 0, failed_total: 0, duration_seconds_count: 0, duration_seconds_sum: 0 };

describe('the metrics of claimed work', () => {
  it('are announced from the start, each where something counts it', async () => {
    claimMetrics('spec.claims');
    workMetrics('spec.work');
    announceLateness('spec.late');

    expect(await samplesOf('spec.claims')).toEqual(CLAIMS_OF_NONE);
    expect(await samplesOf('spec.work')).toEqual(WORK_OF_NONE);
    expect(await samplesOf('spec.late')).toEqual({ late_seconds_count: 0, late_seconds_sum: 0 });
  });

  it('count claimed rows, those whose earlier lease had ended, and the lateness of the oldest of a claim', async () => {
    const queue = claimMetrics('spec.rows');
    queue.claim([]);
    queue.claim([{ late_ms: 500, orphaned: false }, { late_ms: 2_000, orphaned: true }, {}]);
    claimMetrics('spec.rows').claim([{}]); // another service of the process

    expect(await samplesOf('spec.rows')).toEqual({ claimed_total: 4, recovered_total: 1, late_seconds_count: 1, late_seconds_sum: 2 });
  });

  it('count work that ended, failed or timed out, and its duration', async () => {
    const leases = { renew: () => Promise.resolve(), work: workMetrics('spec.leased') };
    const renewer = new LeaseRenewer(leases, new WorkTimes({ timeoutMs: 10 }));
    const claims = [1, 2].map((generation) => ({ id: 'one', generation }));

    await renewer.during(claims, () => Promise.resolve());
    await expect(renewer.during(claims.slice(1), () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await expect(renewer.during(claims.slice(1), () => new Promise(() => undefined))).rejects.toThrow('Timed out');

    expect(await samplesOf('spec.leased')).toMatchObject({ completed_total: 2, failed_total: 2, duration_seconds_count: 3 });
  });
});
