import '@tidings/testing/quiet';
import { ManualTimers } from '@tidings/testing/manual-timers';
import { type Claim, LeaseRenewer } from './lease-renewer';
import { WORK_LEASE_MS, WorkTimes } from './work-times';

const short = { id: 'short', generation: 1 };
const long = { id: 'long', generation: 2 };
const TIMES = new WorkTimes({ timeoutMs: 10 * WORK_LEASE_MS });

describe('leases of claimed work', () => {
  let renewed: Claim[][];
  let failing: boolean;
  let timers: ManualTimers;
  let renewer: LeaseRenewer;

  beforeEach(() => {
    timers = new ManualTimers();
    renewed = [];
    failing = false;
    const renew = (claims: readonly Claim[]): Promise<void> => {
      renewed.push([...claims]);
      return failing ? Promise.reject(new Error('unavailable')) : Promise.resolve();
    };
    renewer = new LeaseRenewer({ renew }, TIMES, timers);
  });

  it('are renewed before they end while the work runs, and not afterwards', async () => {
    let end: () => void = () => undefined;
    const working = renewer.during([long], () => new Promise<void>((resolve) => (end = resolve)));
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
    void renewer.during([long], () => new Promise(() => undefined));

    await timers.advance(WORK_LEASE_MS / 2);

    expect(renewed).toEqual([[long]]);
  });

  it('are not renewed where the work ends or fails soon', async () => {
    void renewer.during([long], () => new Promise(() => undefined));
    await timers.advance(WORK_LEASE_MS);
    await expect(renewer.during([short], () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await timers.advance(WORK_LEASE_MS);

    expect(renewed.flat()).not.toContain(short);
  });

  it('are not renewed after the work timeout, which rejects; a later failure of the work is ignored', async () => {
    let fail: (error: Error) => void = () => undefined;
    const working = renewer.during([long], () => new Promise((_, reject) => (fail = reject)));
    const ended = expect(working).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('Timed out') as string });
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

  it('are renewed again after a failed renewal', async () => {
    failing = true;
    void renewer.during([long], () => new Promise(() => undefined));
    await timers.advance(WORK_LEASE_MS);
    failing = false;
    const failed = renewed.length;
    await timers.advance(WORK_LEASE_MS);

    expect(failed).toBeGreaterThan(0);
    expect(renewed.length).toBeGreaterThan(failed);
  });
});
