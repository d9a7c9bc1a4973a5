import { cpuMsOf } from '@tidings/testing/cpu-time';
import { startPool, startThread, textOf } from './start-pool.fixture';

/** Above the core time of any job in this test. */
const UNLIMITED_MS = 60_000;
/** A catalogue of nearly the maximum size, unique per name. */
const catalogue = (name: string): string =>
  Array.from({ length: 14_000 }, (_, i) => `msgid "${name} text number ${i} of many"\nmsgstr "${name} ${i}"\n`).join('\n');

describe('the time limit', () => {
  it('does not count the compilation of catalogues', async () => {
    const catalogues = ['a', 'b', 'c', 'd'].map(catalogue);
    const input = { ...textOf('{{t "d text number 7 of many"}}'), scope: { catalogues } };
    const unlimited = await startThread(UNLIMITED_MS);
    const timeLimitMs = Math.ceil((await cpuMsOf(() => unlimited.run('w', 'render', input))) / 3);
    const pool = await startThread(timeLimitMs);

    const firstMs = await cpuMsOf(() => pool.run('w', 'render', input));

    await expect(pool.run('w', 'render', input)).resolves.toMatchObject({ title: 'd 7' });
    // Otherwise the test proves nothing.
    expect(firstMs).toBeGreaterThan(timeLimitMs);
  });

  it('does not compile a catalogue that no text queries', async () => {
    const input = { ...textOf('Hello'), scope: { catalogues: ['no catalogue'] } };
    await expect(startPool().run('w', 'render', input)).resolves.toMatchObject({ title: 'Hello' });
  });
});
