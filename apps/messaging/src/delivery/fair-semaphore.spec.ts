import { FairSemaphore } from './fair-semaphore';

const LIMIT = 90;
const OWNERS_MAX = 20;

const takeAll = (places: FairSemaphore, owner: string): number => {
  let taken = 0;
  while (places.take(owner)) taken += 1;
  return taken;
};

describe('places', () => {
  it('one owner gets two thirds, the next one two thirds of the rest, and there is always some room', () => {
    const places = new FairSemaphore(LIMIT);
    expect(takeAll(places, 'ada')).toBe(60);
    expect(takeAll(places, 'bob')).toBe(20);
    expect(takeAll(places, 'eve')).toBe(6);
    expect(places.room).toBe(4);
    expect(places.fullOwners()).toEqual(['ada', 'bob', 'eve']);
  });

  it('an owner finds a place however many others hold as many as they may', () => {
    const places = new FairSemaphore(LIMIT);
    for (let owner = 0; owner < OWNERS_MAX; owner += 1) {
      places.take(`owner ${owner}`);
      takeAll(places, `owner ${owner}`);
      if (places.room === 0) return;
      expect(places.roomOf('newcomer')).toBeGreaterThan(0);
    }
  });

  it('what is released is there again, for whoever waits', async () => {
    const places = new FairSemaphore(1);
    expect(places.take('ada')).toBe(true);
    expect(places.take('bob')).toBe(false);
    const released = places.whenReleased(60_000);
    places.release('ada');
    await released;
    expect(places.take('bob')).toBe(true);
  });

  it('whoever waits goes on after a while with nothing', async () => {
    const places = new FairSemaphore(1);
    places.take('ada');
    await places.whenReleased(1);
    expect(places.room).toBe(0);
  });

  it('places that were set aside are given to an owner, or back', () => {
    const places = new FairSemaphore(4);
    expect(places.setAside(10)).toBe(4);
    places.give('ada');
    places.give('ada');
    places.giveBack(2);
    expect(places.room).toBe(2);
    places.release('ada');
    places.release('ada');
    expect(places.room).toBe(4);
    expect(() => places.release('ada')).toThrow('holds no place');
  });
});
