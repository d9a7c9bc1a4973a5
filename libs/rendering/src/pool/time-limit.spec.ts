import { cpuMsOf, startPool, startThread, textsOf } from './start-pool.fixture';

/** More of a core than anything takes here. */
const UNLIMITED_MS = 60_000;
/** A catalogue of nearly the size that one may have, unlike the others. */
const catalogue = (name: string): string =>
  Array.from({ length: 14_000 }, (_, i) => `msgid "${name} text number ${i} of many"\nmsgstr "${name} ${i}"\n`).join('\n');

describe('the time limit', () => {
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
