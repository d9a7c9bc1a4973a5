import { OffsetTracker } from './offset-tracker';
import { RequestDeduplicator } from './request-deduplicator';

describe('Places of requests in the log', () => {
  it('are committed as far as everything before them is finished', () => {
    const ledger = new OffsetTracker();
    const tickets = [5, 6, 9].map((offset) => ledger.open(offset));

    tickets[1]!.finished = true;
    expect(ledger.toCommit).toBeUndefined();
    tickets[0]!.finished = true;
    expect(ledger.toCommit).toBe(7);
    ledger.committed(7);
    expect(ledger.toCommit).toBeUndefined();
    tickets[2]!.finished = true;
    expect(ledger.toCommit).toBe(10);
  });

  it('of a request that is at work end with it when the log brings it again, and it is not begun twice', () => {
    const recent = new RequestDeduplicator();
    const [first, again, later] = [1, 1, 1].map((offset) => new OffsetTracker().open(offset)) as [never, never, never];

    expect(recent.begin('r', first)).toBe(true);
    expect(recent.begin('r', again)).toBe(false);
    expect([first, again]).toEqual([
      { offset: 1, finished: false },
      { offset: 1, finished: false },
    ]);
    recent.end('r', first);
    expect([first, again]).toEqual([
      { offset: 1, finished: true },
      { offset: 1, finished: true },
    ]);
    expect(recent.begin('r', later)).toBe(false);
    expect(later).toEqual({ offset: 1, finished: true });
  });
});
