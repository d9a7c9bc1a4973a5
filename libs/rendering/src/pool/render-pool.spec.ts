import { monitorEventLoopDelay } from 'node:perf_hooks';
import { MONSTER, SMALL, startPool, textsOf } from './start-pool.fixture';

describe('the pool', () => {
  it('renders on another thread what it would here', async () => {
    const pool = startPool();
    await expect(pool.run('w', 'texts', SMALL)).resolves.toEqual({ texts: ['Hello Jane'], warnings: [] });
    await expect(
      pool.run('w', 'texts', {
        texts: [{ source: '{{t "Hello"}} {x}', escape: 'html' }],
        scope: { catalogues: ['msgid "Hello"\nmsgstr "Salut"'] },
      }),
    ).resolves.toEqual({ texts: ['Salut {x}'], warnings: [] });
  });

  it('hands the error of a template through as it is', async () => {
    const rejected = startPool().run('w', 'texts', textsOf('{{divide 1 0}}'));
    await expect(rejected).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Template line 1: divide cannot divide by 0',
    });
  });

  it('ends a text that never would, by the work it asks for', async () => {
    await expect(startPool({ timeLimitMs: 60_000 }).run('a', 'texts', MONSTER)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^render_timeout: .* steps/) as string,
    });
  });

  it('stops a thread whose job runs too long, and goes on with a new one', async () => {
    const pool = startPool({ threads: 1, timeLimitMs: 20 });
    await expect(pool.run('a', 'texts', MONSTER)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'render_timeout: rendering took longer than 20 ms and was stopped',
    });
    await expect(pool.run('a', 'texts', SMALL)).resolves.toMatchObject({ texts: ['Hello Jane'] });
  });

  it('keeps a bounded number of jobs of a workspace waiting', async () => {
    const pool = startPool({ queuedPerWorkspaceMax: 3 });
    const jobs = Array.from({ length: 6 }, () => pool.run('a', 'texts', SMALL));
    const outcomes = await Promise.allSettled(jobs);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(outcomes.filter((o) => o.status === 'rejected' && (o.reason as { code: string }).code === 'rate_limited')).toHaveLength(2);
  });

  it('refuses what waits when it is closed', async () => {
    const pool = startPool({ threads: 1 });
    const jobs = [pool.run('a', 'texts', MONSTER), pool.run('b', 'texts', SMALL)].map((job) =>
      expect(job).rejects.toMatchObject({ code: 'unavailable' }),
    );
    await pool.close();
    await Promise.all(jobs);
    await expect(pool.run('b', 'texts', SMALL)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('lets one workspace render while another sends monsters, and the calling thread alone', async () => {
    const pool = startPool({ timeLimitMs: 60_000 });
    await Promise.all([pool.run('a', 'texts', SMALL), pool.run('b', 'texts', SMALL)]);
    const alone = performance.now();
    await pool.run('a', 'texts', MONSTER).catch(() => {});
    const monsterMs = performance.now() - alone;

    const lag = monitorEventLoopDelay({ resolution: 5 });
    lag.enable();
    let finished = false;
    const monsters = Promise.allSettled(Array.from({ length: 12 }, () => pool.run('a', 'texts', MONSTER))).finally(() => (finished = true));
    const took: number[] = [];
    while (!finished && took.length < 5_000) {
      const started = performance.now();
      await pool.run('b', 'texts', SMALL);
      took.push(performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    lag.disable();

    for (const outcome of await monsters) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/^render_timeout: /) as string } });
    }
    const p99 = took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)]!;
    const lagP99 = lag.percentile(99) / 1e6;
    expect(finished).toBe(true);
    expect(took.length).toBeGreaterThan(50);
    // Whoever had waited for a single monster would show it.
    expect(p99).toBeLessThan(monsterMs / 2);
    expect(lagP99).toBeLessThan(monsterMs / 2);
    if (process.env.SHOW_MEASURED) {
      console.log({
        monsterMs,
        renders: took.length,
        medianMs: took[took.length >> 1],
        p99Ms: p99,
        lagP99Ms: lagP99,
        lagMaxMs: lag.max / 1e6,
      });
    }
  }, 60_000);
});
