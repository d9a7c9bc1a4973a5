import '@tidings/testing/quiet';
import { ManualTimers } from '@tidings/testing/manual-timers';
import { type Claim, LeaseRenewer } from './lease-renewer';
import { WORK_LEASE_MS, WorkTimes } from './work-times';

const short = { id: 'short', generation: 1 };
const long = { id: 'long', generation: 2 };
const TIMES = new WorkTimes({ timeoutMs: 10 * WORK_LEASE_MS });

describe('leases of what is worked on', () => {
  let renewed: Claim[][];
  let failing: boolean;
  let timers: ManualTimers;
  let keeper: LeaseRenewer;

  beforeEach(() => {
    timers = new ManualTimers();
    renewed = [];
    failing = false;
    const renew = (held: readonly Claim[]): Promise<void> => {
      renewed.push([...held]);
      return failing ? Promise.reject(new Error('away')) : Promise.resolve();
    };
    keeper = new LeaseRenewer(renew, TIMES, timers);
  });

  it('are renewed before they end as long as the work goes on, and not afterwards', async () => {
    let end: () => void = () => undefined;
    const working = keeper.during([long], () => new Promise<void>((resolve) => (end = resolve)));
    for (let lease = 1; lease <= 3; lease++) {
      await timers.advance(WORK_LEASE_MS);
      expect(renewed.length).toBeGreaterThan(lease);
    }
    expect(renewed.flat()).toEqual(renewed.map(() => long));
    end();
    await working;
    const before = renewed.length;

    await timers.advance(2 * WORK_LEASE_MS);

    expect(renewed).toHaveLength(before);
    expect(timers.count).toBe(0);
  });

  it('are renewed the first time long before they end', async () => {
    void keeper.during([long], () => new Promise(() => undefined));

    await timers.advance(WORK_LEASE_MS / 2);

    expect(renewed).toEqual([[long]]);
  });

  it('are not renewed where the work is over soon, whatever becomes of it', async () => {
    void keeper.during([long], () => new Promise(() => undefined));
    await timers.advance(WORK_LEASE_MS);
    await expect(keeper.during([short], () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await timers.advance(WORK_LEASE_MS);

    expect(renewed.flat()).not.toContain(short);
  });

  it('are not renewed for ever where the work hangs: it is given up, and may fail later unheard', async () => {
    let fail: (error: Error) => void = () => undefined;
    const working = keeper.during([long], () => new Promise((_, reject) => (fail = reject)));
    const ended = expect(working).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('Given up') as string });
    await timers.advance(TIMES.timeoutMs - 1);
    const before = renewed.length;
    expect(before).toBeGreaterThan(9);
    await timers.advance(1);
    await ended;
    fail(new Error('late'));
    await timers.advance(TIMES.timeoutMs);

    expect(renewed).toHaveLength(before);
    expect(timers.count).toBe(0);
  });

  it('are renewed the next time when it failed once', async () => {
    failing = true;
    void keeper.during([long], () => new Promise(() => undefined));
    await timers.advance(WORK_LEASE_MS);
    failing = false;
    const failed = renewed.length;
    await timers.advance(WORK_LEASE_MS);

    expect(failed).toBeGreaterThan(0);
    expect(renewed.length).toBeGreaterThan(failed);
  });
});
