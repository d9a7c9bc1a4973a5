import { HighWatermark } from './append-notifier';

/** No test waits for it. */
const LATE_MS = 600_000;

describe('Growth', () => {
  const never = new AbortController().signal;

  it('does not wait for what was announced between the reading and the waiting', async () => {
    const growth = new HighWatermark();
    growth.note(5);

    await growth.beyond(4, LATE_MS, never);

    expect(growth.position).toBe(5);
  });

  it('wakes for what lies beyond, and for nothing else', async () => {
    const growth = new HighWatermark();
    let woken = false;
    const waiting = growth.beyond(5, LATE_MS, never).then(() => (woken = true));

    growth.note(4);
    growth.note(5);
    await new Promise(setImmediate);
    expect(woken).toBe(false);

    growth.note(6);
    await waiting;
  });

  it('ends with a signal, now or later', async () => {
    const growth = new HighWatermark();
    const controller = new AbortController();
    const waiting = growth.beyond(0, LATE_MS, never, controller.signal);

    controller.abort();

    await waiting;
    await growth.beyond(0, LATE_MS, controller.signal);
    expect(growth.position).toBe(0);
  });

  it('ends after a time, with nothing announced', async () => {
    const growth = new HighWatermark();

    await growth.beyond(0, 1, never);

    expect(growth.position).toBe(0);
  });

  it('that is forgotten wakes for what lies below what it was', async () => {
    const growth = new HighWatermark();
    growth.note(5);
    growth.forget();
    const waiting = growth.beyond(2, LATE_MS, never);

    growth.note(3);

    await waiting;
  });
});
