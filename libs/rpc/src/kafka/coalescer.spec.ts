import { COMPANY_ENTRIES, COMPANY_PACE_MS } from '@tidings/events/batch-pacer';
import { waitUntil } from '@tidings/testing/wait-until';
import { AWAY_AFTER_MS, Coalescer, NotProduced, type Outcome, type OutgoingRecord } from './coalescer';

const FAR_MS = 60_000;

/** A broker whose answers the story gives. */
class Broker {
  readonly batches: { values: string[]; take(): void; fail(error: Error): void }[] = [];

  readonly send = (records: readonly OutgoingRecord[]): Promise<void> =>
    new Promise((take, fail) => this.batches.push({ values: records.map(({ message }) => String(message.value)), take, fail }));

  async batch(number: number): Promise<Broker['batches'][number]> {
    return waitUntil(() => this.batches[number - 1]);
  }
}

describe('Records on their way to a broker', () => {
  let broker: Broker;
  let coalescer: Coalescer;
  let outcomes: Record<string, Outcome>;
  /** A clock that goes when the story says so: how long the story itself takes plays no part. */
  let now: number;
  beforeEach(() => {
    now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    broker = new Broker();
    coalescer = new Coalescer(broker.send, async () => undefined);
    outcomes = {};
  });
  afterEach(() => jest.restoreAllMocks());

  const add = (value: string, more: Partial<OutgoingRecord> = {}): boolean =>
    coalescer.add({
      topic: 't',
      message: { partition: 0, value },
      characters: value.length,
      notAfter: performance.now() + FAR_MS,
      impatient: true,
      repeatable: false,
      settled: (outcome) => (outcomes[value] = outcome),
      ...more,
    });

  it('that come while a batch is under way travel together in the next', async () => {
    add('a');
    const first = await broker.batch(1);
    add('b');
    add('c');
    first.take();
    (await broker.batch(2)).take();

    await coalescer.close();
    expect(broker.batches.map(({ values }) => values)).toEqual([['a'], ['b', 'c']]);
    expect(outcomes).toEqual({ a: 'taken', b: 'taken', c: 'taken' });
  });

  it('wait for company where there was some, and for nobody where there was none', async () => {
    let left = 0;
    coalescer = new Coalescer(
      async () => void (left += 1),
      async () => undefined,
    );
    const twoTurns = async (): Promise<void> => {
      for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
    };
    const timers = jest.spyOn(global, 'setTimeout');
    const waits = (): number => timers.mock.calls.filter(([, ms]) => ms === COMPANY_PACE_MS).length;
    for (let entry = 0; entry < COMPANY_ENTRIES; entry++) add(`entry${entry}`);
    await twoTurns();
    add('after company');
    await waitUntil(() => left === 2);
    expect(waits()).toBe(1);
    now += COMPANY_PACE_MS;

    add('after one alone');
    await twoTurns();
    expect(left).toBe(3);
    expect(waits()).toBe(1);
  });

  it('are tried again in their place when they were surely not taken', async () => {
    add('a');
    const first = await broker.batch(1);
    add('b');
    first.fail(new NotProduced(new Error('refused')));
    (await broker.batch(2)).take();

    await coalescer.close();
    expect(broker.batches[1]!.values).toEqual(['a', 'b']);
    expect(outcomes).toEqual({ a: 'taken', b: 'taken' });
  });

  it('are sent once more only where that does no harm, when nobody knows what became of them', async () => {
    add('command');
    add('read', { repeatable: true });
    (await broker.batch(1)).fail(new Error('no answer'));
    (await broker.batch(2)).take();

    await coalescer.close();
    expect(broker.batches[1]!.values).toEqual(['read']);
    expect(outcomes).toEqual({ command: 'unknown', read: 'taken' });
  });

  it('are not sent when their time is over', async () => {
    add('a');
    const first = await broker.batch(1);
    add('late', { notAfter: performance.now() });
    first.take();

    await coalescer.close();
    expect(broker.batches).toHaveLength(1);
    expect(outcomes).toEqual({ a: 'taken', late: 'not taken' });
  });

  it('are refused while the broker is away, but for those who have the patience', async () => {
    add('a');
    const first = await broker.batch(1);
    add('b');
    add('patient', { impatient: false });
    now += AWAY_AFTER_MS;
    coalescer.sweep(now);
    expect(outcomes).toEqual({});
    now += 1;
    coalescer.sweep(now);

    expect(coalescer.away()).toBe(true);
    expect(outcomes).toEqual({ b: 'not taken' });
    expect(add('c')).toBe(false);
    expect(add('too', { impatient: false })).toBe(true);
    first.take();
    (await broker.batch(2)).take();
    await coalescer.close();
    expect(broker.batches[1]!.values).toEqual(['patient', 'too']);
    expect(coalescer.away()).toBe(false);
  });
});
