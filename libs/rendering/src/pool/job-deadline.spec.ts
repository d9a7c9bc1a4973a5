import { ENDLESS, SMALL, startPool } from './start-pool.fixture';
/** Far shorter than what is endless takes, on any machine. */
const SOON_MS = 50;
const GIVEN_UP = { code: 'unavailable', message: expect.stringMatching(/not done in the time of this call/) as string };

describe('a job whose caller does not wait any longer', () => {
  it('is not begun, and leaves its place in the queue', async () => {
    const pool = startPool({ threads: 1, timeLimitMs: 60_000, queuedPerWorkspaceMax: 1 });
    const stop = new AbortController();
    const before = pool.run('a', 'texts', ENDLESS, { signal: stop.signal }).catch(() => 'ended');

    await expect(pool.run('a', 'texts', SMALL, { endBy: performance.now() + SOON_MS })).rejects.toMatchObject(GIVEN_UP);
    await expect(pool.run('a', 'texts', SMALL, { endBy: performance.now() - 1 })).rejects.toMatchObject(GIVEN_UP);
    const next = pool.run('a', 'texts', SMALL);

    stop.abort(new Error('gone'));
    await expect(before).resolves.toBe('ended');
    await expect(next).resolves.toMatchObject({ texts: ['Hello Jane'] });
  });

  it('is ended where it runs, and the next one has its thread', async () => {
    const pool = startPool({ threads: 1, timeLimitMs: 60_000 });
    await pool.run('a', 'texts', SMALL);

    await expect(pool.run('a', 'texts', ENDLESS, { endBy: performance.now() + SOON_MS })).rejects.toMatchObject(GIVEN_UP);
    await expect(pool.run('a', 'texts', SMALL)).resolves.toMatchObject({ texts: ['Hello Jane'] });
  });

  it('is ended by a signal as well, with its reason', async () => {
    const pool = startPool({ threads: 1, timeLimitMs: 60_000 });
    await pool.run('a', 'texts', SMALL);
    const stop = new AbortController();
    const running = expect(pool.run('a', 'texts', ENDLESS, { signal: stop.signal })).rejects.toThrow('gone');
    const waiting = expect(pool.run('a', 'texts', SMALL, { signal: stop.signal })).rejects.toThrow('gone');

    stop.abort(new Error('gone'));

    await Promise.all([running, waiting]);
    await expect(pool.run('a', 'texts', SMALL, { signal: stop.signal })).rejects.toThrow('gone');
    await expect(pool.run('a', 'texts', SMALL)).resolves.toMatchObject({ texts: ['Hello Jane'] });
  });
});

it('a job that yields waits behind those of its workspace that came later', async () => {
  const pool = startPool({ threads: 1, timeLimitMs: 60_000 });
  const order: string[] = [];
  const job = (name: string, yields: boolean): Promise<unknown> => pool.run('a', 'texts', SMALL, { yields }).then(() => order.push(name));
  const first = pool.run('a', 'texts', SMALL);

  await Promise.all([first, job('preview', true), job('another', true), job('publication', false)]);

  expect(order).toEqual(['publication', 'preview', 'another']);
});
