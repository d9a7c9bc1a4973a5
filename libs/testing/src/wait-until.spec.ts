import { waitUntil } from './wait-until';

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('waiting until something is so', () => {
  it('looks until it is, and gives what was found; an error is a "not yet"', async () => {
    const looks = [() => undefined, () => Promise.reject(new Error('not there')), () => 'found'];

    await expect(waitUntil(() => looks.shift()!(), { intervalMs: 1 })).resolves.toBe('found');
  });

  it('says in the end what it waited for, and why the last look failed', async () => {
    const waiting = waitUntil(() => Promise.reject(new Error('not there')), { what: 'a mail', timeoutMs: 5 });

    await expect(waiting).rejects.toMatchObject({ message: 'Waited 5 ms in vain for a mail', cause: { message: 'not there' } });
  });

  it('looks once more when the machine stood still for all of the time', async () => {
    let looks = 0;

    const waiting = waitUntil(
      () => {
        looks += 1;
        if (looks === 1) standStill(20);
        return looks === 2;
      },
      { timeoutMs: 5 },
    );

    await expect(waiting).resolves.toBe(true);
  });
});
