import { cpuMsOf } from '@tidings/testing/cpu-time';
import { startPool, startThread, textsOf } from './start-pool.fixture';

/** Above the core time of any job in this test. */
const UNLIMITED_MS = 60_000;
/** A catalogue of nearly the maximum size, unique per name. */
const catalogue = (name: string): string =>
  Array.from({ length: 14_000 }, (_, i) => `msgid "${name} text number ${i} of many"\nmsgstr "${name} ${i}"\n`).join('\n');

describe('the time limit', () => {
  it('does not count the compilation of catalogues', async () => {
    const catalogues = ['a', 'b', 'c', 'd'].map(catalogue);
    const input = { texts: [{ source: '{{t "d text number 7 of many"}}', escape: 'none' as const }], scope: { catalogues } };
    const unlimited = await startThread(UNLIMITED_MS);
    const timeLimitMs = Math.ceil((await cpuMsOf(() => unlimited.run('w', 'texts', input))) / 3);
    const pool = await startThread(timeLimitMs);

    const firstMs = await cpuMsOf(() => pool.run('w', 'texts', input));

    await expect(pool.run('w', 'texts', input)).resolves.toMatchObject({ texts: ['d 7'] });
    // Otherwise the test proves nothing.
    expect(firstMs).toBeGreaterThan(timeLimitMs);
  });

  it('does not compile a catalogue that no text queries', async () => {
    const { texts } = textsOf('Hello');
    await expect(startPool().run('w', 'texts', { texts, scope: { catalogues: ['no catalogue'] } })).resolves.toMatchObject({
      texts: ['Hello'],
    });
  });
});
