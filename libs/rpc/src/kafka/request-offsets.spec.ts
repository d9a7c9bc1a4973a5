import { OffsetTracker, RequestDeduplicator } from './request-offsets';

describe('Offsets of requests', () => {
  it('are committed up to the first unfinished one', () => {
    const tracker = new OffsetTracker();
    const requests = [5, 6, 9].map((offset) => {
      const request = { finished: false };
      tracker.track(offset, request);
      return request;
    });

    requests[1]!.finished = true;
    expect(tracker.toCommit).toBeUndefined();
    requests[0]!.finished = true;
    expect(tracker.toCommit).toBe(7);
    tracker.committed(7);
    expect(tracker.toCommit).toBeUndefined();
    requests[2]!.finished = true;
    expect(tracker.toCommit).toBe(10);
  });

  it('of a redelivered open request finish together, and the request is not started twice', () => {
    const deduplicator = new RequestDeduplicator();
    const [before, after] = [new OffsetTracker(), new OffsetTracker()];

    const first = deduplicator.begin('r');
    const again = deduplicator.begin('r');
    before.track(1, first.request);
    after.track(1, again.request);
    expect([first.isNew, again.isNew]).toEqual([true, false]);
    expect([before.toCommit, after.toCommit]).toEqual([undefined, undefined]);

    first.request.finished = true;
    expect([before.toCommit, after.toCommit]).toEqual([2, 2]);
    const later = deduplicator.begin('r');
    expect(later).toEqual({ request: { finished: true }, isNew: false });
  });
});
