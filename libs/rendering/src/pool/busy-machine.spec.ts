import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { startPool, textsOf } from './start-pool.fixture';

/** So many that they take most of a core also from a machine that was not idle before. */
const OTHERS_PER_CORE = 20;
/** Takes some hundredths of a second. */
const LONG = textsOf('{{#each a}}{{#each ../a}}{{set "x" @index}}{{/each}}{{/each}}', { a: Array.from({ length: 300 }, (_, i) => i) });
/** A catalogue of nearly the size that one may have, unlike the others. */
const catalogue = (name: string): string =>
  Array.from({ length: 14_000 }, (_, i) => `msgid "${name} text number ${i} of many"\nmsgstr "${name} ${i}"\n`).join('\n');

async function tookMs(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

describe('the time limit', () => {
  it('does not count the time in which a busy machine gives the thread no core', async () => {
    const warm = startPool({ threads: 1, timeLimitMs: 60_000 });
    await warm.run('w', 'texts', LONG);
    const aloneMs = await tookMs(warm.run('w', 'texts', LONG));
    const timeLimitMs = Math.ceil(3 * aloneMs);
    const pool = startPool({ threads: 1, timeLimitMs });
    await pool.run('w', 'texts', LONG);
    const others = Array.from({ length: OTHERS_PER_CORE * availableParallelism() }, () => new Worker('for (;;);', { eval: true }));
    try {
      await Promise.all(others.map((other) => once(other, 'online')));
      const busyMs = await tookMs(pool.run('w', 'texts', LONG));
      // Else it proves nothing.
      expect(busyMs).toBeGreaterThan(timeLimitMs);
    } finally {
      await Promise.all(others.map((other) => other.terminate()));
    }
  }, 60_000);

  it('does not count the reading of catalogues', async () => {
    const catalogues = ['a', 'b', 'c', 'd'].map(catalogue);
    const pool = startPool({ threads: 1, timeLimitMs: 150 });
    const asked = { texts: [{ source: '{{t "d text number 7 of many"}}', escape: 'none' as const }], scope: { catalogues } };
    const firstMs = await tookMs(pool.run('w', 'texts', asked));
    await expect(pool.run('w', 'texts', asked)).resolves.toMatchObject({ texts: ['d 7'] });
    expect(firstMs).toBeGreaterThan(150);
  });

  it('finds a catalogue that no text asks unread', async () => {
    const { texts } = textsOf('Hello');
    await expect(startPool().run('w', 'texts', { texts, scope: { catalogues: ['no catalogue'] } })).resolves.toMatchObject({
      texts: ['Hello'],
    });
  });
});
