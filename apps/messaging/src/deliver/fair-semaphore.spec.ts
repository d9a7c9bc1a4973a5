import { FairSemaphore } from './fair-semaphore';

const LIMIT = 90;
const OWNERS_MAX = 20;

const acquireAll = (permits: FairSemaphore, owner: string): number => {
  let acquired = 0;
  while (permits.acquire(owner)) acquired += 1;
  return acquired;
};

describe('a fair semaphore', () => {
  it('gives one owner two thirds, the next one two thirds of the rest, and always leaves some free', () => {
    const permits = new FairSemaphore(LIMIT);
    expect(acquireAll(permits, 'ada')).toBe(60);
    expect(acquireAll(permits, 'bob')).toBe(20);
    expect(acquireAll(permits, 'eve')).toBe(6);
    expect(permits.available).toBe(4);
    expect(permits.fullOwners()).toEqual(['ada', 'bob', 'eve']);
  });

  it('has a permit for a new owner while the others hold their full shares', () => {
    const permits = new FairSemaphore(LIMIT);
    for (let owner = 0; owner < OWNERS_MAX; owner += 1) {
      permits.acquire(`owner ${owner}`);
      acquireAll(permits, `owner ${owner}`);
      if (permits.available === 0) return;
      expect(permits.availableTo('newcomer')).toBeGreaterThan(0);
    }
  });

  it('wakes waiting callers when a permit is released', async () => {
    const permits = new FairSemaphore(1);
    expect(permits.acquire('ada')).toBe(true);
    expect(permits.acquire('bob')).toBe(false);
    const released = permits.whenReleased(60_000);
    permits.release('ada');
    await released;
    expect(permits.acquire('bob')).toBe(true);
  });

  it('ends a wait after its time without a permit', async () => {
    const permits = new FairSemaphore(1);
    permits.acquire('ada');
    await permits.whenReleased(1);
    expect(permits.available).toBe(0);
  });

  it('assigns reserved permits to an owner, or returns them', () => {
    const permits = new FairSemaphore(4);
    expect(permits.reserve(10)).toBe(4);
    permits.assign('ada');
    permits.assign('ada');
    permits.returnReserved(2);
    expect(permits.available).toBe(2);
    permits.release('ada');
    permits.release('ada');
    expect(permits.available).toBe(4);
    expect(() => permits.release('ada')).toThrow('holds no permit');
  });
});
