import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { cpuMsOf, LONG, startThread } from './start-pool.fixture';

/** So many that they take most of a core also from a machine that was not idle before. */
const OTHERS = 40;
/** Of many cores they take most as well; each is a thread with a heap of its own. */
const OTHERS_PER_CORE_MIN = 8;
/** So often one may be quick nevertheless. */
const TRIES_MAX = 100;
/** More of a core than anything takes here. */
const UNLIMITED_MS = 60_000;

async function tookMs(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

describe('the time limit', () => {
  it('does not count the time in which a busy machine gives the thread no core', async () => {
    const unlimited = await startThread(UNLIMITED_MS);
    const timeLimitMs = Math.ceil(4 * (await cpuMsOf(unlimited.run('w', 'texts', LONG))));
    const pool = await startThread(timeLimitMs);
    const othersCount = Math.max(OTHERS, OTHERS_PER_CORE_MIN * availableParallelism());
    const others = Array.from({ length: othersCount }, () => new Worker('for (;;);', { eval: true }));
    try {
      await Promise.all(others.map((other) => once(other, 'online')));
      // None may fail; they prove something once one took longer than the limit.
      let tookLong: boolean;
      let tries = 0;
      do {
        tookLong = (await tookMs(pool.run('w', 'texts', LONG))) > timeLimitMs;
      } while (!tookLong && ++tries < TRIES_MAX);
      expect(tookLong).toBe(true);
    } finally {
      await Promise.all(others.map((other) => other.terminate()));
    }
  });
});
