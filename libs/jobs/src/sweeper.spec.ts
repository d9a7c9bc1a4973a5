import '@tidings/testing/quiet';
import { metrics } from '@tidings/runtime/metrics';
import { ManualTimers } from '@tidings/testing/manual-timers';
import { Sweeper } from './sweeper';

const INTERVAL_MS = 60_000;

/** Has some rows to remove, one a step. */
class Rows extends Sweeper {
  left = 0;
  steps = 0;
  failing = false;

  constructor(timers: ManualTimers, firstMs?: number) {
    super({ queue: 'jobs-spec.rows', what: 'Removing rows', intervalMs: INTERVAL_MS, firstMs, retryMs: 1_000, stepsMax: 5 }, timers);
  }

  protected step(): Promise<boolean> {
    if (this.failing) return Promise.reject(new Error('unavailable'));
    this.steps += 1;
    if (this.left === 0) return Promise.resolve(false);
    this.left -= 1;
    return Promise.resolve(true);
  }
}

describe('a sweeper', () => {
  const timers = new ManualTimers();

  it('works from the start until nothing is due, then at each interval', async () => {
    const rows = new Rows(timers);
    rows.left = 3;
    rows.onApplicationBootstrap();
    await timers.advance(10);
    expect(rows.left).toBe(0);

    rows.left = 2;
    await timers.advance(INTERVAL_MS / 2);
    expect(rows.left).toBe(2);
    await timers.advance(INTERVAL_MS);
    expect(rows.left).toBe(0);
    await rows.beforeApplicationShutdown();
  });

  it('does at most so many steps a round, and starts a round when it is woken', async () => {
    const rows = new Rows(timers, INTERVAL_MS);
    rows.left = 7;
    rows.onApplicationBootstrap();
    await timers.advance(INTERVAL_MS / 2);
    expect(rows.left).toBe(7);

    rows.wake();
    await timers.advance(10);
    expect(rows.left).toBe(2);
    rows.wake();
    await timers.advance(10);
    expect(rows.left).toBe(0);
    await rows.beforeApplicationShutdown();
  });

  it('retries a failed round, and works no more after the stop', async () => {
    const rows = new Rows(timers);
    rows.failing = true;
    rows.left = 1;
    rows.onApplicationBootstrap();
    await timers.advance(10);
    rows.failing = false;
    await timers.advance(1_000);
    expect(rows.left).toBe(0);

    await expect(metrics.registry.getSingleMetricAsString('tidings_work_failed_total')).resolves.toContain('{queue="jobs-spec.rows"} 1');

    await rows.beforeApplicationShutdown();
    const { steps } = rows;
    rows.wake();
    await timers.advance(10 * INTERVAL_MS);
    expect(rows.steps).toBe(steps);
  });
});
