import { waitUntil } from './wait-until';

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
    let now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    let looks = 0;

    const waiting = waitUntil(() => {
      looks += 1;
      now += 60_000;
      return looks === 2;
    });

    await expect(waiting).resolves.toBe(true);
    clock.mockRestore();
  });
});
