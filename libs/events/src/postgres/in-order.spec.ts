import { InOrder } from './in-order';

/** So many that the actions take longer than their promises. */
const MANY = 50;

/** A promise whose end a test decides. */
function open() {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

describe('actions that run in order', () => {
  it('have all run once they are drained, also those before one that failed meanwhile', async () => {
    const order = new InOrder();
    const done: number[] = [];
    const all = Array.from({ length: MANY }, open);
    all.forEach(({ promise }, index) => order.add(promise, () => void done.push(index)));
    all.at(-1)!.reject(new Error('failed'));
    const drained = order.drained(new AbortController().signal);
    for (const { resolve } of all) resolve();

    await expect(drained).resolves.toBe(true);
    expect(done).toHaveLength(MANY - 1);
  });

  it('do not run after one that failed', async () => {
    const order = new InOrder();
    const action = jest.fn();
    order.add(Promise.reject(new Error('failed')), action);
    order.add(undefined, action);

    await order.drained(new AbortController().signal);
    expect(action).not.toHaveBeenCalled();
  });

  it('are not drained while one of them is open, until the signal is aborted', async () => {
    const order = new InOrder();
    const abort = new AbortController();
    order.add(open().promise, () => undefined);
    const drained = order.drained(abort.signal);
    abort.abort();

    await expect(drained).resolves.toBe(false);
  });
});
