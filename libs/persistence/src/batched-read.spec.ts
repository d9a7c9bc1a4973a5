import { batchedRead } from './batched-read';

const nextTick = (): Promise<void> => new Promise((resume) => setImmediate(resume));

describe('batched reads', () => {
  let batches: (readonly string[])[];
  const read = batchedRead(async (keys: readonly string[]) => {
    batches.push(keys);
    if (keys.includes('broken')) throw new Error('the statement failed');
    return keys.map((key) => (key === 'missing' ? undefined : `row of ${key}`));
  });
  beforeEach(() => (batches = []));

  it('of one event loop tick share a statement, and each gets its own row', async () => {
    const ada = read('ada');
    await Promise.resolve(); // later, within the same tick
    const rows = await Promise.all([ada, read('missing'), read('grace')]);

    expect(rows).toEqual(['row of ada', undefined, 'row of grace']);
    expect(batches).toEqual([['ada', 'missing', 'grace']]);
  });

  it('cache nothing', async () => {
    await read('ada');
    await read('ada');
    await Promise.all([read('ada'), read('ada')]);

    expect(batches.map(({ length }) => length)).toEqual([1, 1, 2]);
  });

  it('fail with their batch only', async () => {
    const [ada, broken] = await Promise.allSettled([read('ada'), read('broken')]);
    await nextTick();

    expect([ada.status, broken.status]).toEqual(['rejected', 'rejected']);
    await expect(read('ada')).resolves.toBe('row of ada');
  });

  it('of many rows are split into several statements', async () => {
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => read(`user${index}`)));

    expect(batches.map(({ length }) => length)).toEqual([500, 500, 200]);
  });
});
