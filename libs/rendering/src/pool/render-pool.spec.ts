import { setImmediate as nextTick } from 'node:timers/promises';
import { ENDLESS, MONSTER, SMALL, startPool, textOf } from './start-pool.fixture';

/** Many times what a thread needs for its first small job, on a slow machine too. */
const TIME_LIMIT_MS = 200;
const MONSTERS = 12;

describe('the pool', () => {
  it('renders on another thread with the same result', async () => {
    const pool = startPool();
    await expect(pool.run('w', 'render', SMALL)).resolves.toMatchObject({ title: 'Hello Jane', warnings: [] });
    await expect(
      pool.run('w', 'render', { ...textOf('{{t "Hello"}} {x}'), scope: { catalogues: ['msgid "Hello"\nmsgstr "Salut"'] } }),
    ).resolves.toMatchObject({ title: 'Salut {x}', warnings: [] });
  });

  it('passes the error of a template through unchanged', async () => {
    const rejected = startPool().run('w', 'render', textOf('{{divide 1 0}}'));
    await expect(rejected).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'elements[0]: Template line 1: divide cannot divide by 0',
    });
  });

  it('ends an endless text by its step budget', async () => {
    await expect(startPool({ timeLimitMs: 60_000 }).run('a', 'render', MONSTER)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^render_timeout: .* steps/) as string,
    });
  });

  it('stops a thread whose job runs too long, and continues with a new one', async () => {
    const pool = startPool({ threads: 1, timeLimitMs: TIME_LIMIT_MS });
    await expect(pool.run('a', 'render', ENDLESS)).rejects.toMatchObject({
      code: 'invalid_request',
      message: `render_timeout: rendering took longer than ${TIME_LIMIT_MS} ms and was stopped`,
    });
    await expect(pool.run('a', 'render', SMALL)).resolves.toMatchObject({ title: 'Hello Jane' });
  });

  it('bounds the waiting jobs of a workspace', async () => {
    const pool = startPool({ queuedPerWorkspaceMax: 3 });
    const jobs = Array.from({ length: 6 }, () => pool.run('a', 'render', SMALL));
    const outcomes = await Promise.allSettled(jobs);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(outcomes.filter((o) => o.status === 'rejected' && (o.reason as { code: string }).code === 'rate_limited')).toHaveLength(2);
  });

  it('refuses waiting jobs when it is closed', async () => {
    const pool = startPool({ threads: 1 });
    const jobs = [pool.run('a', 'render', ENDLESS), pool.run('b', 'render', SMALL)].map((job) =>
      expect(job).rejects.toMatchObject({ code: 'unavailable' }),
    );
    await pool.close();
    await Promise.all(jobs);
    await expect(pool.run('b', 'render', SMALL)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('renders for one workspace while another sends heavy jobs, without blocking the calling thread', async () => {
    const pool = startPool({ timeLimitMs: 60_000 });
    await Promise.all([pool.run('a', 'render', SMALL), pool.run('b', 'render', SMALL)]);

    let left = MONSTERS;
    const monster = (): Promise<unknown> => pool.run('a', 'render', MONSTER).finally(() => (left -= 1));
    const monsters = Promise.allSettled(Array.from({ length: MONSTERS }, monster));
    const took: number[] = [];
    // The last heavy job leaves a thread free in any case.
    while (left > 1) {
      const started = performance.now();
      await pool.run('b', 'render', SMALL);
      took.push(performance.now() - started);
      await nextTick();
    }

    for (const outcome of await monsters) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/^render_timeout: /) as string } });
    }
    // A job that had to wait for a heavy one would render only once in that time.
    expect(took.length).toBeGreaterThan(4 * MONSTERS);
    if (process.env.SHOW_MEASURED) {
      const [medianMs, p99Ms] = [0.5, 0.99].map((share) => took.sort((a, b) => a - b)[Math.floor(took.length * share)]);
      console.log({ renders: took.length, medianMs, p99Ms });
    }
  });
});
