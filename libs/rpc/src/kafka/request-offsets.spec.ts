import { OffsetTracker } from './offset-tracker';
import { RequestDeduplicator } from './request-deduplicator';

describe('Offsets of requests', () => {
  it('are committed up to the first unfinished one', () => {
    const tracker = new OffsetTracker();
    const offsets = [5, 6, 9].map((offset) => tracker.track(offset));

    offsets[1]!.finished = true;
    expect(tracker.toCommit).toBeUndefined();
    offsets[0]!.finished = true;
    expect(tracker.toCommit).toBe(7);
    tracker.committed(7);
    expect(tracker.toCommit).toBeUndefined();
    offsets[2]!.finished = true;
    expect(tracker.toCommit).toBe(10);
  });

  it('of a redelivered open request finish together, and the request is not started twice', () => {
    const deduplicator = new RequestDeduplicator();
    const [first, again, later] = [1, 1, 1].map((offset) => new OffsetTracker().track(offset)) as [never, never, never];

    expect(deduplicator.begin('r', first)).toBe(true);
    expect(deduplicator.begin('r', again)).toBe(false);
    expect([first, again]).toEqual([
      { offset: 1, finished: false },
      { offset: 1, finished: false },
    ]);
    deduplicator.end('r', first);
    expect([first, again]).toEqual([
      { offset: 1, finished: true },
      { offset: 1, finished: true },
    ]);
    expect(deduplicator.begin('r', later)).toBe(false);
    expect(later).toEqual({ offset: 1, finished: true });
  });
});
