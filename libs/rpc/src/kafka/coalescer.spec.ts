import { LOADED_BATCH_ITEMS, LOADED_BATCH_INTERVAL_MS } from '@tidings/kafka/batch-queue';
import { waitUntil } from '@tidings/testing/wait-until';
import { Coalescer, NotProduced, type Outcome, type OutgoingRecord, UNAVAILABLE_AFTER_MS } from './coalescer';

const FAR_MS = 60_000;

/** A broker whose answers the test gives. */
class Broker {
  readonly batches: { values: string[]; acknowledge(): void; fail(error: Error): void }[] = [];

  readonly send = (records: readonly OutgoingRecord[]): Promise<void> =>
    new Promise((acknowledge, fail) => {
      this.batches.push({ values: records.map(({ message }) => String(message.value)), acknowledge, fail });
    });

  async batch(number: number): Promise<Broker['batches'][number]> {
    return waitUntil(() => this.batches[number - 1]);
  }
}

describe('Records to be sent to a broker', () => {
  let broker: Broker;
  let coalescer: Coalescer;
  let outcomes: Record<string, Outcome>;
  /** The test moves the clock itself, so its own duration does not matter. */
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
      size: value.length,
      notAfter: performance.now() + FAR_MS,
      failsFast: true,
      repeatable: false,
      settled: (outcome) => (outcomes[value] = outcome),
      ...more,
    });

  it('that arrive while a batch is in flight share the next batch', async () => {
    add('a');
    const first = await broker.batch(1);
    add('b');
    add('c');
    first.acknowledge();
    (await broker.batch(2)).acknowledge();

    await coalescer.close();
    expect(broker.batches.map(({ values }) => values)).toEqual([['a'], ['b', 'c']]);
    expect(outcomes).toEqual({ a: 'acknowledged', b: 'acknowledged', c: 'acknowledged' });
  });

  it('are paced under load, and sent at once when alone', async () => {
    let sent = 0;
    coalescer = new Coalescer(
      async () => void (sent += 1),
      async () => undefined,
    );
    const twoTicks = async (): Promise<void> => {
      for (let tick = 0; tick < 2; tick++) await new Promise(setImmediate);
    };
    const timers = jest.spyOn(global, 'setTimeout');
    const waits = (): number => timers.mock.calls.filter(([, ms]) => ms === LOADED_BATCH_INTERVAL_MS).length;
    for (let entry = 0; entry < LOADED_BATCH_ITEMS; entry++) add(`entry${entry}`);
    await twoTicks();
    add('after a loaded batch');
    await waitUntil(() => sent === 2);
    expect(waits()).toBe(1);
    now += LOADED_BATCH_INTERVAL_MS;

    add('after a lone record');
    await twoTicks();
    expect(sent).toBe(3);
    expect(waits()).toBe(1);
  });

  it('are retried in their order when they were not produced', async () => {
    add('a');
    const first = await broker.batch(1);
    add('b');
    first.fail(new NotProduced(new Error('refused')));
    (await broker.batch(2)).acknowledge();

    await coalescer.close();
    expect(broker.batches[1]!.values).toEqual(['a', 'b']);
    expect(outcomes).toEqual({ a: 'acknowledged', b: 'acknowledged' });
  });

  it('are sent again after an unknown outcome only when repeatable', async () => {
    add('command');
    add('read', { repeatable: true });
    (await broker.batch(1)).fail(new Error('no answer'));
    (await broker.batch(2)).acknowledge();

    await coalescer.close();
    expect(broker.batches[1]!.values).toEqual(['read']);
    expect(outcomes).toEqual({ command: 'unknown', read: 'acknowledged' });
  });

  it('are not sent after their deadline', async () => {
    add('a');
    const first = await broker.batch(1);
    add('late', { notAfter: performance.now() });
    first.acknowledge();

    await coalescer.close();
    expect(broker.batches).toHaveLength(1);
    expect(outcomes).toEqual({ a: 'acknowledged', late: 'not produced' });
  });

  it('are refused while the broker is unavailable, unless they may wait', async () => {
    add('a');
    const first = await broker.batch(1);
    add('b');
    add('waiting', { failsFast: false });
    now += UNAVAILABLE_AFTER_MS;
    coalescer.sweep(now);
    expect(outcomes).toEqual({});
    now += 1;
    coalescer.sweep(now);

    expect(coalescer.isUnavailable()).toBe(true);
    expect(outcomes).toEqual({ b: 'not produced' });
    expect(add('c')).toBe(false);
    expect(add('later', { failsFast: false })).toBe(true);
    first.acknowledge();
    (await broker.batch(2)).acknowledge();
    await coalescer.close();
    expect(broker.batches[1]!.values).toEqual(['waiting', 'later']);
    expect(coalescer.isUnavailable()).toBe(false);
  });
});
