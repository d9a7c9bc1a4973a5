import { waitUntil } from '@tidings/testing/wait-until';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type Appender, type Attempt, EntriesRejected, NotAppended } from './append-attempt';
import { AppendQueue } from './queued-event-log';

const MINUTE_MS = 60_000;

const queueOver = <Entry>(append: Appender<Entry>['append']): AppendQueue<Entry> => new AppendQueue({ append });

describe('AppendQueue', () => {
  afterEach(() => jest.restoreAllMocks());

  it('sends a call at once while none is in flight, and batches the calls that arrive meanwhile', async () => {
    const batches: string[][] = [];
    const answers: (() => void)[] = [];
    const queue = queueOver<string>((entries) => {
      batches.push([...entries]);
      return new Promise((resolve) => answers.push(resolve));
    });
    const sent = (count: number) => waitUntil(() => answers.length === count, { what: `${count} batches to be sent` });

    const first = queue.add(['a'], 1, MINUTE_MS);
    await sent(1);
    const meanwhile = [queue.add(['b', 'c'], 2, MINUTE_MS), queue.add(['d'], 1, MINUTE_MS)];
    answers[0]!();
    await sent(2);
    answers[1]!();
    await Promise.all([first, ...meanwhile]);

    expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('limits a batch and never splits a call', async () => {
    const sizes: number[] = [];
    const queue = queueOver<number>((entries) => Promise.resolve(void sizes.push(entries.length)));
    const entries = (count: number) => Array.from({ length: count }, (_, index) => index);

    await Promise.all([900, 200, 3_000, 1, 1].map((count) => queue.add(entries(count), 10, MINUTE_MS)));

    expect(sizes).toEqual([900, 200, 3_000, 2]);
  });

  it('refuses at once when nothing was stored', async () => {
    let attempts = 0;
    const queue = queueOver<string>(() => {
      attempts += 1;
      return Promise.reject(new NotAppended(new Error('connection refused')));
    });

    await expect(queue.add(['a'], 1, MINUTE_MS)).rejects.toMatchObject({ code: 'unavailable', hints: { retryAfterSeconds: 1 } });
    expect(attempts).toBe(1);
  });

  it('retries a transient error until the deadline, then reports that nothing was stored', async () => {
    const attempts: Attempt[] = [];
    const failingQueue = (failures: number) =>
      queueOver<string>((_, attempt) => {
        attempts.push(attempt);
        return attempts.length <= failures ? Promise.reject(new NotAppended(new Error('no leader yet'), true)) : Promise.resolve();
      });

    await failingQueue(2).add(['a'], 1, MINUTE_MS);
    expect(attempts.map(({ again }) => again)).toEqual([false, false, false]);

    await expect(failingQueue(Infinity).add(['a'], 1, 200)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('fails the calls whose entries are rejected, and sends the others again', async () => {
    const stored: string[] = [];
    const error = new ServiceError('payload_too_large', 'bad is too large');
    const queue = queueOver<string>((entries) =>
      entries.includes('bad')
        ? Promise.reject(new EntriesRejected(new Set(['bad']), error))
        : Promise.resolve(void stored.push(...entries)),
    );

    const calls = [['a'], ['b', 'bad'], ['c']].map((entries) => queue.add(entries, 1, MINUTE_MS));
    const outcomes = await Promise.allSettled(calls);

    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as ServiceError).code : 'stored'))).toEqual([
      'stored',
      'payload_too_large',
      'stored',
    ]);
    expect(stored).toEqual(['a', 'c']);
  });

  it('retries an unknown outcome, marked as a retry, even while the log cannot be reached', async () => {
    const attempts: Attempt[] = [];
    const queue = queueOver<string>((_, attempt) => {
      attempts.push(attempt);
      if (attempts.length === 1) return Promise.reject(new Error('connection reset'));
      return attempts.length === 2 ? Promise.reject(new NotAppended(new Error('connection refused'))) : Promise.resolve();
    });

    await queue.add(['a'], 1, MINUTE_MS);

    expect(attempts.map(({ again }) => again)).toEqual([false, true, true]);
  });

  it('fails calls with unknown outcome as deadline_exceeded, unsent calls as unavailable, and stores the others', async () => {
    const stored: string[] = [];
    let breakOff: (() => void) | undefined;
    const queue = queueOver<string>((entries) =>
      entries.includes('short')
        ? new Promise((_, fail) => (breakOff = () => fail(new Error('connection reset'))))
        : Promise.resolve(void stored.push(...entries)),
    );
    // The test moves the clock itself, so its own duration does not matter.
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);

    const short = queue.add(['short'], 1, 200);
    const long = queue.add(['long'], 1, MINUTE_MS);
    await waitUntil(() => breakOff, { what: 'the first batch to be in flight' });
    const behind = queue.add(['behind'], 1, 100);
    const unhurried = queue.add(['unhurried'], 1, MINUTE_MS);
    behind.catch(() => {}); // awaited below
    now += 200;
    breakOff!();

    await expect(short).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await expect(behind).rejects.toMatchObject({ code: 'unavailable' });
    await Promise.all([long, unhurried]);
    expect(stored).toEqual(['long', 'unhurried']);
  });

  it('refuses calls at their deadline that wait behind a batch without an answer', async () => {
    let answer = () => {};
    const queue = queueOver<string>(() => new Promise((resolve) => (answer = resolve)));
    const open = queue.add(['open'], 1, MINUTE_MS);
    await new Promise(setImmediate);

    await expect(queue.add(['behind'], 1, 100)).rejects.toMatchObject({ code: 'unavailable' });

    answer();
    await open;
  });

  it('refuses calls while too much waits, and accepts them afterwards', async () => {
    let release = () => {};
    const queue = queueOver<number>(() => new Promise((resolve) => (release = resolve)));
    const first = queue.add([1], 1, MINUTE_MS);
    await new Promise(setImmediate);
    const waiting = queue.add([2], 70_000_000, MINUTE_MS);

    expect(queue.full).toBe(true);
    await expect(queue.add([3], 1, MINUTE_MS)).rejects.toMatchObject({ code: 'unavailable' });

    release();
    await first;
    await new Promise(setImmediate);
    expect(queue.full).toBe(false);
    release();
    await waiting;
  });
});
