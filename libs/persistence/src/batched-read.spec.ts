import { batchedRead } from './batched-read';

const nextTurn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

describe('grouped reads', () => {
  let groups: (readonly string[])[];
  const read = batchedRead(async (keys: readonly string[]) => {
    groups.push(keys);
    if (keys.includes('broken')) throw new Error('the statement failed');
    return keys.map((key) => (key === 'nobody' ? undefined : `row of ${key}`));
  });
  beforeEach(() => (groups = []));

  it('of one turn of the event loop are one, and each gets its own row', async () => {
    const ada = read('ada');
    await Promise.resolve(); // later, and still the same turn
    const rows = await Promise.all([ada, read('nobody'), read('grace')]);

    expect(rows).toEqual(['row of ada', undefined, 'row of grace']);
    expect(groups).toEqual([['ada', 'nobody', 'grace']]);
  });

  it('keep nothing', async () => {
    await read('ada');
    await read('ada');
    await Promise.all([read('ada'), read('ada')]);

    expect(groups.map(({ length }) => length)).toEqual([1, 1, 2]);
  });

  it('fail together, and alone', async () => {
    const [ada, broken] = await Promise.allSettled([read('ada'), read('broken')]);
    await nextTurn();

    expect([ada.status, broken.status]).toEqual(['rejected', 'rejected']);
    await expect(read('ada')).resolves.toBe('row of ada');
  });

  it('of very many are several statements', async () => {
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => read(`user${index}`)));

    expect(groups.map(({ length }) => length)).toEqual([500, 500, 200]);
  });
});
