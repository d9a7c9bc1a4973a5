import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { RenderPool } from './render-pool';
import { SMALL, startPool, textsOf } from './start-pool.fixture';

/** So many that they take most of a core also from a machine that was not idle before. */
const OTHERS = 40;
/** Of many cores they take most as well; each is a thread with a heap of its own. */
const OTHERS_PER_CORE_MIN = 8;
/** So often one may be quick nevertheless. */
const TRIES_MAX = 100;
/** More of a core than anything takes here. */
const UNLIMITED_MS = 60_000;
/** Takes some hundredths of a second. */
const LONG = textsOf('{{#each a}}{{#each ../a}}{{set "x" @index}}{{/each}}{{/each}}', { a: Array.from({ length: 400 }, (_, i) => i) });
/** A catalogue of nearly the size that one may have, unlike the others. */
const catalogue = (name: string): string =>
  Array.from({ length: 14_000 }, (_, i) => `msgid "${name} text number ${i} of many"\nmsgstr "${name} ${i}"\n`).join('\n');

/** A pool of one thread that has started. */
async function startThread(timeLimitMs: number): Promise<RenderPool> {
  const pool = startPool({ threads: 1, timeLimitMs });
  await pool.run('w', 'texts', SMALL);
  return pool;
}

/** What the work took of the machine's cores: time in which this process has none is not counted. */
async function cpuMsOf(work: Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

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

  it('does not count the reading of catalogues', async () => {
    const catalogues = ['a', 'b', 'c', 'd'].map(catalogue);
    const asked = { texts: [{ source: '{{t "d text number 7 of many"}}', escape: 'none' as const }], scope: { catalogues } };
    const unlimited = await startThread(UNLIMITED_MS);
    const timeLimitMs = Math.ceil((await cpuMsOf(unlimited.run('w', 'texts', asked))) / 3);
    const pool = await startThread(timeLimitMs);

    const firstMs = await cpuMsOf(pool.run('w', 'texts', asked));

    await expect(pool.run('w', 'texts', asked)).resolves.toMatchObject({ texts: ['d 7'] });
    // Else it proves nothing.
    expect(firstMs).toBeGreaterThan(timeLimitMs);
  });

  it('finds a catalogue that no text asks unread', async () => {
    const { texts } = textsOf('Hello');
    await expect(startPool().run('w', 'texts', { texts, scope: { catalogues: ['no catalogue'] } })).resolves.toMatchObject({
      texts: ['Hello'],
    });
  });
});
