import { ManualTimers } from '@tidings/testing/manual-timers';
import { SendGathering } from './send-gathering';

let timers: ManualTimers;
let gathering: SendGathering;
/** Sizes of the groups that continued, in order. */
let groups: number[];
beforeEach(() => {
  timers = new ManualTimers();
  gathering = new SendGathering(timers);
  groups = [];
});

let together = 0;
/** One request; `onDone` when it continues. Those that continue in one call count as a group. */
function request(onDone: () => void = () => undefined): void {
  gathering.pass(() => {
    together += 1;
    queueMicrotask(() => {
      if (together > 0) groups.push(together);
      together = 0;
    });
    onDone();
  });
}

/** Requests every `everyMs`, for `ms`. */
async function requests(everyMs: number, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += everyMs) {
    request();
    await timers.advance(everyMs);
  }
}

/** A client that sends its next request `answerMs` after the one before continued. */
function client(answerMs: number): { sent: number } {
  const state = { sent: 0 };
  const send = (): void => {
    state.sent += 1;
    request(() => void timers.setTimeout(send, answerMs));
  };
  send();
  return state;
}

describe('sends', () => {
  it('that come seldom continue at once', async () => {
    await requests(10, 1_000);

    expect(new Set(groups)).toEqual(new Set([1]));
  });

  it('that come often, one by one, continue in groups within 30 ms', async () => {
    await requests(1, 1_000);

    expect(groups.length).toBeLessThan(150);
    expect(groups.slice(-10).every((size) => size >= 30)).toBe(true);
    expect(groups.reduce((sum, size) => sum + size)).toBeGreaterThanOrEqual(970);
  });

  it('continue at once when they come seldom again', async () => {
    await requests(1, 300);
    await timers.advance(1_000);
    groups.length = 0;

    await requests(20, 400);

    expect(groups.slice(5)).toEqual(Array.from({ length: groups.length - 5 }, () => 1));
    expect(groups.length).toBeGreaterThan(15);
  });

  it('continue at once after a pause, also where a full group came before it', async () => {
    await requests(1, 300);
    while (groups.at(-1) !== 32) {
      request();
      await Promise.resolve();
    }
    await timers.advance(3_600_000);
    groups.length = 0;

    request();
    await Promise.resolve();

    expect(groups).toEqual([1]);
  });

  it('of clients that wait for each answer are gathered only now and then, to see whether more come', async () => {
    const clients = Array.from({ length: 10 }, () => client(2));
    await timers.advance(5_000);

    // 30 ms of each 500 are lost, of 2,500 sends at the most.
    for (const { sent } of clients) expect(sent).toBeGreaterThan(2_000);
  });

  it('of a burst continue at once', async () => {
    const clients = Array.from({ length: 96 }, () => client(2));
    await timers.advance(5_000);

    for (const { sent } of clients) expect(sent).toBeGreaterThan(2_400);
  });

  it('that become a burst are not gathered in small groups', async () => {
    await requests(1, 300);
    let waited = 0;
    const send = (): void => {
      let hasContinued = false;
      request(() => {
        hasContinued = true;
        void timers.setTimeout(send, 12);
      });
      if (!hasContinued) waited += 1;
    };
    for (let clients = 0; clients < 64; clients++) send();

    await timers.advance(5_000);

    expect(waited).toBeLessThan(1_000);
  });

  it('are gathered further after a pause of the thread', async () => {
    await requests(1, 300);
    groups.length = 0;

    for (let count = 0; count < 80; count++) request();
    await requests(1, 320);

    expect(groups.length).toBeLessThan(15);
  });
});
