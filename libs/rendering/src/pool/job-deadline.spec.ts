import { ENDLESS, SMALL, startPool } from './start-pool.fixture';
/** Far shorter than `ENDLESS` runs on any machine. */
const SOON_MS = 50;
const LATE = { code: 'unavailable', message: expect.stringMatching(/not finished before the deadline of this call/) as string };

describe('a job past its deadline', () => {
  it('is not started, and leaves the queue', async () => {
    const pool = startPool({ threads: 1, timeLimitMs: 60_000, queuedPerWorkspaceMax: 1 });
    const stop = new AbortController();
    const before = pool.run('a', 'render', ENDLESS, { signal: stop.signal }).catch(() => 'ended');

    await expect(pool.run('a', 'render', SMALL, { endBy: performance.now() + SOON_MS })).rejects.toMatchObject(LATE);
    await expect(pool.run('a', 'render', SMALL, { endBy: performance.now() - 1 })).rejects.toMatchObject(LATE);
    const next = pool.run('a', 'render', SMALL);

    stop.abort(new Error('canceled'));
    await expect(before).resolves.toBe('ended');
    await expect(next).resolves.toMatchObject({ title: 'Hello Jane' });
  });

  it('is stopped while running, and the next one gets its thread', async () => {
    const pool = startPool({ threads: 1, timeLimitMs: 60_000 });
    await pool.run('a', 'render', SMALL);

    await expect(pool.run('a', 'render', ENDLESS, { endBy: performance.now() + SOON_MS })).rejects.toMatchObject(LATE);
    await expect(pool.run('a', 'render', SMALL)).resolves.toMatchObject({ title: 'Hello Jane' });
  });

  it('is stopped by a signal as well, with its reason', async () => {
    const pool = startPool({ threads: 1, timeLimitMs: 60_000 });
    await pool.run('a', 'render', SMALL);
    const stop = new AbortController();
    const running = expect(pool.run('a', 'render', ENDLESS, { signal: stop.signal })).rejects.toThrow('canceled');
    const waiting = expect(pool.run('a', 'render', SMALL, { signal: stop.signal })).rejects.toThrow('canceled');

    stop.abort(new Error('canceled'));

    await Promise.all([running, waiting]);
    await expect(pool.run('a', 'render', SMALL, { signal: stop.signal })).rejects.toThrow('canceled');
    await expect(pool.run('a', 'render', SMALL)).resolves.toMatchObject({ title: 'Hello Jane' });
  });
});

it('a yielding job waits for later jobs of its workspace', async () => {
  const pool = startPool({ threads: 1, timeLimitMs: 60_000 });
  const order: string[] = [];
  const job = (name: string, yields: boolean): Promise<unknown> => pool.run('a', 'render', SMALL, { yields }).then(() => order.push(name));
  const first = pool.run('a', 'render', SMALL);

  await Promise.all([first, job('preview', true), job('another', true), job('publication', false)]);

  expect(order).toEqual(['publication', 'preview', 'another']);
});
