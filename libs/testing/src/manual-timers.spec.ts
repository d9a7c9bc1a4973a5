import { ManualTimers } from './manual-timers';

let timers: ManualTimers;
let acted: string[];
beforeEach(() => {
  timers = new ManualTimers();
  acted = [];
});

const note = (what: string) => (): void => void acted.push(`${what} at ${timers.now()}`);

it('act at their time, in order', async () => {
  timers.setTimeout(note('late'), 20);
  timers.setTimeout(note('early'), 10);
  timers.setInterval(note('again'), 8);

  await timers.advance(19);
  expect(acted).toEqual(['again at 8', 'early at 10', 'again at 16']);
  await timers.advance(1);
  expect(acted.slice(3)).toEqual(['late at 20']);
});

it('include timers set while time passes', async () => {
  const work = (async () => {
    for (let round = 0; round < 3; round += 1) {
      await timers.delay(10);
      note('round')();
    }
  })();

  await timers.advance(25);
  expect(acted).toEqual(['round at 10', 'round at 20']);
  await timers.advance(5);
  await work;
  expect(timers.count).toBe(0);
});

it('do not act once cleared, also an interval cleared in its own act', async () => {
  const interval = timers.setInterval(() => {
    note('once')();
    timers.clear(interval);
  }, 10);
  const timeout = timers.setTimeout(note('never'), 10);
  timers.clear(timeout);
  timers.clear(undefined);

  await timers.advance(100);

  expect(acted).toEqual(['once at 10']);
  expect(timers.count).toBe(0);
});

it('let time pass even when each timer sets the next without a pause', async () => {
  const again = (): void => {
    acted.push('again');
    timers.setTimeout(again, 0);
  };
  again();

  await timers.advance(10);

  expect(acted).toHaveLength(11);
});
