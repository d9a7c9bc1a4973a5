import { waitUntil } from './wait-until';

const blockThread = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('waitUntil', () => {
  it('polls until the condition returns a value; errors count as not yet', async () => {
    const results = [() => undefined, () => Promise.reject(new Error('not there')), () => 'found'];

    await expect(waitUntil(() => results.shift()!(), { intervalMs: 1 })).resolves.toBe('found');
  });

  it('fails with what it waited for, and the last error as cause', async () => {
    const waiting = waitUntil(() => Promise.reject(new Error('not there')), { what: 'a mail', timeoutMs: 5 });

    await expect(waiting).rejects.toMatchObject({ message: 'Waited 5 ms in vain for a mail', cause: { message: 'not there' } });
  });

  it('polls once more when the machine paused for the whole time', async () => {
    let polls = 0;

    const waiting = waitUntil(
      () => {
        polls += 1;
        if (polls === 1) blockThread(20);
        return polls === 2;
      },
      { timeoutMs: 5 },
    );

    await expect(waiting).resolves.toBe(true);
  });
});
