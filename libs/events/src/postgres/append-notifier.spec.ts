import { HighWatermark } from './append-notifier';

/** Longer than any test: no test waits for it. */
const LATE_MS = 600_000;

describe('HighWatermark', () => {
  const never = new AbortController().signal;

  it('does not wait for a position announced between reading and waiting', async () => {
    const highWatermark = new HighWatermark();
    highWatermark.note(5);

    await highWatermark.waitBeyond(4, LATE_MS, never);

    expect(highWatermark.position).toBe(5);
  });

  it('wakes only for a higher position', async () => {
    const highWatermark = new HighWatermark();
    let woken = false;
    const waiting = highWatermark.waitBeyond(5, LATE_MS, never).then(() => (woken = true));

    highWatermark.note(4);
    highWatermark.note(5);
    await new Promise(setImmediate);
    expect(woken).toBe(false);

    highWatermark.note(6);
    await waiting;
  });

  it('stops waiting when the signal is aborted, before or during the wait', async () => {
    const highWatermark = new HighWatermark();
    const controller = new AbortController();
    const waiting = highWatermark.waitBeyond(0, LATE_MS, controller.signal);

    controller.abort();

    await waiting;
    await highWatermark.waitBeyond(0, LATE_MS, controller.signal);
    expect(highWatermark.position).toBe(0);
  });

  it('stops waiting after the time limit', async () => {
    const highWatermark = new HighWatermark();

    await highWatermark.waitBeyond(0, 1, never);

    expect(highWatermark.position).toBe(0);
  });

  it('wakes once when announcements may be missing, also if that is noted before the wait', async () => {
    const highWatermark = new HighWatermark();
    highWatermark.note();
    await highWatermark.waitBeyond(0, LATE_MS, never);
    let woken = false;
    const waiting = highWatermark.waitBeyond(0, LATE_MS, never).then(() => (woken = true));
    await new Promise(setImmediate);
    expect(woken).toBe(false);

    highWatermark.note();
    await waiting;
    expect(highWatermark.position).toBe(0);
  });
});
