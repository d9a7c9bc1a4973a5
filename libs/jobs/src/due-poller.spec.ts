import '@tidings/testing/quiet';
import { ManualTimers } from '@tidings/testing/manual-timers';
import { DuePoller } from './due-poller';

const TIMES = { pollMs: 10_000, retryMs: 500 };

describe('a due poller', () => {
  let timers: ManualTimers;
  let polls: number[];
  /** What the next polls resolve with; without entries `undefined`. */
  let waits: (number | Error)[];
  let poller: DuePoller;

  beforeEach(() => {
    timers = new ManualTimers();
    polls = [];
    waits = [];
    poller = new DuePoller(TIMES, 'Polling rows', poll, timers);
  });

  function poll(): Promise<number | undefined> {
    polls.push(timers.now());
    const wait = waits.shift();
    return wait instanceof Error ? Promise.reject(wait) : Promise.resolve(wait);
  }

  it('polls at the earliest scheduled time only', async () => {
    poller.scheduleIn(3_000);
    poller.scheduleIn(1_000);
    poller.scheduleIn(2_000);

    await timers.advance(5_000);

    expect(polls).toEqual([1_000]);
  });

  it('polls again when the next row is due, and after the longest pause where none is', async () => {
    waits = [700];
    poller.scheduleIn(0);

    await timers.advance(12_000);

    expect(polls).toEqual([1, 701, 10_701]);
  });

  it('retries a failed poll', async () => {
    waits = [new Error('unavailable')];
    poller.scheduleIn(0);

    await timers.advance(1_000);

    expect(polls).toEqual([1, 501]);
  });

  it('polls once more where a row became due during a poll', async () => {
    let release: () => void = () => undefined;
    let running = 0;
    const slow = new DuePoller(
      TIMES,
      'Polling rows',
      async () => {
        polls.push(timers.now());
        running += 1;
        expect(running).toBe(1);
        if (polls.length === 1) await new Promise<void>((resolve) => (release = resolve));
        running -= 1;
        return undefined;
      },
      timers,
    );
    slow.scheduleIn(0);
    await timers.advance(10);
    slow.scheduleIn(0);
    slow.scheduleIn(5);
    await timers.advance(100);
    expect(polls).toHaveLength(1);

    release();
    await timers.advance(100);

    expect(polls).toHaveLength(2);
  });

  it('stops after the poll in progress, and polls no more', async () => {
    poller.scheduleIn(0);
    await timers.advance(10);
    poller.scheduleIn(20);

    await poller.stop();
    poller.scheduleIn(0);
    await timers.advance(60_000);

    expect(polls).toHaveLength(1);
    expect(timers.count).toBe(0);
  });
});
