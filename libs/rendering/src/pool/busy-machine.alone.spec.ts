import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { cpuMsOf } from '@tidings/testing/cpu-time';
import { LONG, startThread } from './start-pool.fixture';

/** Enough threads to occupy most of the cores, also on a machine with other load. */
const OTHERS = 40;
/** Scales with many cores; each is a thread with its own heap. */
const OTHERS_PER_CORE_MIN = 8;
/** Maximum attempts until one rendering is slow. */
const ATTEMPTS_MAX = 100;
/** Above the core time of any job in this test. */
const UNLIMITED_MS = 60_000;

async function tookMs(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

describe('the time limit', () => {
  it('does not count the time in which a busy machine gives the thread no core', async () => {
    const unlimited = await startThread(UNLIMITED_MS);
    const timeLimitMs = Math.ceil(4 * (await cpuMsOf(() => unlimited.run('w', 'render', LONG))));
    const pool = await startThread(timeLimitMs);
    const othersCount = Math.max(OTHERS, OTHERS_PER_CORE_MIN * availableParallelism());
    const others = Array.from({ length: othersCount }, () => new Worker('for (;;);', { eval: true }));
    try {
      await Promise.all(others.map((other) => once(other, 'online')));
      // No rendering may fail; the test is meaningful once one took longer than the limit in wall time.
      let tookLong: boolean;
      let attempts = 0;
      do {
        tookLong = (await tookMs(pool.run('w', 'render', LONG))) > timeLimitMs;
      } while (!tookLong && ++attempts < ATTEMPTS_MAX);
      expect(tookLong).toBe(true);
    } finally {
      await Promise.all(others.map((other) => other.terminate()));
    }
  });
});
