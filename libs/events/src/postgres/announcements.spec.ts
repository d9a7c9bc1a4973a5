import { Growth } from './announcements';

describe('Growth', () => {
  const never = new AbortController().signal;

  it('does not wait for what was announced between the reading and the waiting', async () => {
    const growth = new Growth();
    growth.note(5);

    await growth.beyond(4, never);

    expect(growth.position).toBe(5);
  });

  it('wakes for what lies beyond, and for nothing else', async () => {
    const growth = new Growth();
    let woken = false;
    const waiting = growth.beyond(5, never).then(() => (woken = true));

    growth.note(4);
    growth.note(5);
    await new Promise(setImmediate);
    expect(woken).toBe(false);

    growth.note(6);
    await waiting;
  });

  it('ends with a signal, now or later', async () => {
    const growth = new Growth();
    const controller = new AbortController();
    const waiting = growth.beyond(0, never, controller.signal);

    controller.abort();

    await waiting;
    await growth.beyond(0, controller.signal);
    expect(growth.position).toBe(0);
  });
});
