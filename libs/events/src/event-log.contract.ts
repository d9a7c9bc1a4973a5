import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeBroadcasting } from './broadcasting.contract';
import { describeDeadLetters } from './dead-letters.contract';
import type { ConsumerLags, EventLog } from './event-log';
import { appendRun, newTopic, Notes, step, steps, upTo } from './spec-events.fixture';

/** Includes downloading Kafka at its first start on a machine. */
export const START_TIMEOUT_MS = 600_000;

/** A log under test and its instances. */
export interface LogUnderTest {
  /** Another instance, as another process would open it. Closed with the log under test at the latest. */
  open(): Promise<EventLog & ConsumerLags>;
  /** Closes the instances opened so far. */
  closeLogs(): Promise<void>;
  close(): Promise<void>;
}

/** What every event log promises. `start` is called once; each test uses topics of its own. */
export function describeEventLog(name: string, start: () => Promise<LogUnderTest>): void {
  describe(`${name} as an event log`, () => {
    let under: LogUnderTest;
    const open: LogUnderTest['open'] = () => under.open();

    beforeAll(async () => {
      under = await start();
    }, START_TIMEOUT_MS);
    // An instance left open would query the log during the next test.
    afterEach(() => under.closeLogs());
    afterAll(() => under?.close());

    describe('appending and consuming', () => {
      it('preserves the order of each key while several instances append at the same time', async () => {
        const topic = newTopic();
        const writers = await Promise.all([open(), open(), open()]);
        const notes = new Notes();
        await (await open()).consume(topic, { group: 'g', maxBatch: 7 }, notes.note);
        const runs = ['a', 'b', 'c', 'd', 'e', 'f'];

        await Promise.all(runs.map((run, index) => appendRun(writers[index % 3]!, topic, run, 30)));

        await waitUntil(() => notes.records.length >= 180, { what: 'all records' });
        for (const run of runs) expect(notes.firstNumbers(run)).toEqual(upTo(30));
      });

      it('preserves the order of calls that were not awaited', async () => {
        const topic = newTopic();
        const log = await open();
        const notes = new Notes();

        await Promise.all(steps('a', 50).map((one) => log.append(topic, [one])));

        await log.consume(topic, { group: 'g' }, notes.note);
        await waitUntil(() => notes.records.length === 50);
        expect(notes.firstNumbers('a')).toEqual(upTo(50));
      });

      it('calls a handler again for a batch that it cannot settle', async () => {
        const topic = newTopic();
        const log = await open();
        const notes = new Notes();
        await log.consume(topic, { group: 'g' }, async (batch) => {
          await notes.note(batch);
          const isFirst = notes.records.length === batch.length;
          return { settled: isFirst ? Promise.reject(new Error('It cannot be settled')) : Promise.resolve() };
        });

        await log.append(topic, steps('a', 2));

        await waitUntil(() => notes.records.length === 4, { what: 'the second delivery' });
        expect(notes.names).toEqual(['a1', 'a2', 'a1', 'a2']);
        expect(await log.deadLetters.page(topic)).toEqual([]);
      });

      it('shows how far its groups are behind, until it leaves them', async () => {
        const topic = newTopic();
        const log = await open();
        const handling = latch();
        await log.append(topic, steps('a', 3));
        const subscription = await log.consume(topic, { group: 'g' }, () => handling.opened);

        expect(await log.consumerLag()).toEqual([{ topic: topic.topic, group: 'g', records: 3 }]);

        handling.open();
        await waitUntil(async () => (await log.consumerLag())[0]!.records === 0, { what: 'a group that is not behind' });
        await subscription.stop();
        expect(await log.consumerLag()).toEqual([]);
      });

      it('carries on the trace of an append in its records', async () => {
        const topic = newTopic();
        const log = await open();
        const notes = new Notes();
        const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

        await log.append(topic, steps('a', 2), { trace: { traceparent, tracestate: 'one=1,two=2' } });
        await Promise.all([log.append(topic, steps('b', 1), { trace: { traceparent } }), log.append(topic, steps('c', 1), { trace: {} })]);

        await log.consume(topic, { group: 'g' }, notes.note);
        await waitUntil(() => new Set(notes.names).size === 4, { what: 'every record' });
        const traceOf = (key: string) => notes.records.find((record) => record.key === key)!.trace;
        const whole = { traceparent, tracestate: 'one=1,two=2' };
        expect(['w:a', 'w:b', 'w:c'].map(traceOf)).toEqual([whole, { traceparent }, undefined]);
      });

      it('returns exactly what was appended', async () => {
        const topic = newTopic({ compacted: true });
        const log = await open();
        const notes = new Notes();
        const texts = ['"quoted" \\ back', 'NUL \0 and half \ud800 pairs', '𝕌𝕟𝕚 ✓ \n\t', 'x'.repeat(2_000_000), ''];
        const events = texts.map((text, index) => step('a', index + 1, text));
        const before = Date.now();

        await log.append(topic, [...events, { id: 'deleted', key: 'w:a', payload: null }]);

        await log.consume(topic, { group: 'g' }, notes.note);
        await waitUntil(() => notes.records.length === 6);
        expect(notes.records.slice(0, 5)).toMatchObject(events.map(({ id, payload }) => ({ id, payload, key: 'w:a' })));
        expect(notes.records[5]).toMatchObject({ id: 'deleted', key: 'w:a', payload: null });
        for (const { appendedAt, position } of notes.records) {
          expect(Math.abs(appendedAt - before)).toBeLessThan(60_000);
          expect(position).toMatch(/^\d+$/);
        }
      });

      it('returns the running number a record was appended with', async () => {
        const topic = newTopic();
        const log = await open();
        const notes = new Notes();
        const given = ['1', undefined, '0', '0007', '9'.repeat(19)];

        await log.append(
          topic,
          given.map((sequence, index) => ({ ...step('a', index + 1), sequence })),
        );

        await log.consume(topic, { group: 'g' }, notes.note);
        await waitUntil(() => notes.records.length === given.length);
        expect(notes.records.map(({ sequence }) => sequence)).toEqual(['1', undefined, '0', '7', '9'.repeat(19)]);
      });

      it('refuses only the call whose event cannot be stored', async () => {
        const topic = newTopic();
        const log = await open();
        const bad = { ...step('a', 1), key: 'w:\0' };

        const [refused, stored] = await Promise.allSettled([log.append(topic, [step('b', 1), bad]), log.append(topic, [step('a', 1)])]);

        expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'invalid_request' } });
        expect(stored.status).toBe('fulfilled');
        const notes = new Notes();
        await log.consume(topic, { group: 'g' }, notes.note);
        await waitUntil(() => notes.names.length > 0);
        expect(notes.names).toEqual(['a1']);
      });

      it('delivers every record to every group, from the earliest on', async () => {
        const topic = newTopic();
        const log = await open();
        await log.append(topic, steps('a', 3));
        const [first, second] = [new Notes(), new Notes()];

        await log.consume(topic, { group: 'first' }, first.note);
        await waitUntil(() => first.records.length === 3);
        await log.append(topic, steps('a', 2, 4));
        await log.consume(topic, { group: 'second' }, second.note);

        await waitUntil(() => first.records.length === 5 && second.records.length === 5);
        expect(first.firstNumbers('a')).toEqual(upTo(5));
        expect(second.firstNumbers('a')).toEqual(upTo(5));
      });

      it('resumes at the position the group committed', async () => {
        const topic = newTopic();
        const log = await open();
        const [before, after] = [new Notes(), new Notes()];
        const subscription = await log.consume(topic, { group: 'g' }, before.note);
        await log.append(topic, steps('a', 3));
        await waitUntil(() => before.records.length === 3);
        await subscription.stop();

        await log.append(topic, steps('a', 2, 4));
        await (await open()).consume(topic, { group: 'g' }, after.note);

        await waitUntil(() => after.records.length === 2);
        expect(after.names).toEqual(['a4', 'a5']);
        expect(before.names).toEqual(['a1', 'a2', 'a3']);
      });

      it('never delivers more than maxBatch records at once', async () => {
        const topic = newTopic();
        const log = await open();
        await log.append(topic, steps('a', 25));
        const sizes: number[] = [];

        await log.consume(topic, { group: 'g', maxBatch: 10 }, (batch) => Promise.resolve(void sizes.push(batch.length)));

        await waitUntil(() => sizes.reduce((sum, size) => sum + size, 0) === 25);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
      });

      it('finishes the current batch and commits its position when it is stopped', async () => {
        const topic = newTopic();
        const log = await open();
        const notes = new Notes();
        let finish: (() => void) | undefined;
        const subscription = await log.consume(topic, { group: 'g', maxBatch: 1 }, async (batch) => {
          await new Promise<void>((resolve) => (finish = resolve));
          await notes.note(batch);
        });
        await log.append(topic, steps('a', 2));
        await waitUntil(() => finish, { what: 'the handler to be at work' });

        const stopped = subscription.stop();
        finish!();
        await stopped;

        const rest = new Notes();
        await log.consume(topic, { group: 'g' }, rest.note);
        await waitUntil(() => rest.records.length > 0);
        expect([notes.names, rest.names]).toEqual([['a1'], ['a2']]);
      });
    });

    describe('the members of one group', () => {
      it('share the work without handling a record twice, and take over from a member that leaves', async () => {
        const topic = newTopic();
        const [one, two, writer] = await Promise.all([open(), open(), open()]);
        const all = new Notes();
        await one.consume(topic, { group: 'g' }, all.note);
        await two.consume(topic, { group: 'g' }, all.note);
        await writer.append(topic, steps('a', 20));
        await waitUntil(() => all.records.length >= 20);

        await one.close();
        await writer.append(topic, steps('a', 20, 21));

        await waitUntil(() => all.records.length >= 40, { what: 'the second member to take over' });
        expect(all.firstNumbers('a')).toEqual(upTo(40));
        expect(all.records).toHaveLength(40);
      });
    });

    describe('the progress of a group', () => {
      it('has reached a time once every older record is handled', async () => {
        const topic = newTopic();
        const log = await open();
        const notes = new Notes();
        const [received, released] = [latch(), latch()];
        const subscription = await log.consume(topic, { group: 'g' }, async (batch) => {
          received.open();
          await released.opened;
          await notes.note(batch);
        });
        await log.append(topic, steps('a', 1));
        const probe = await (await open()).consume(topic, { group: 'other' }, notes.note);
        await waitUntil(() => notes.records.length === 1);
        await received.opened;
        const { appendedAt } = notes.records[0]!;

        expect(await subscription.hasHandledUpTo(appendedAt - 1)).toBe(true);
        expect(await subscription.hasHandledUpTo(appendedAt)).toBe(false);
        released.open();

        await waitUntil(() => subscription.hasHandledUpTo(appendedAt));
        expect(await probe.hasHandledUpTo(appendedAt)).toBe(true);
        expect(await probe.hasHandledUpTo(appendedAt + 3_600_000)).toBe(false); // more may come until then
      });
    });

    describe('closing', () => {
      it('appends what it accepted and then refuses further calls', async () => {
        const topic = newTopic();
        const log = await open();
        const accepted = Promise.all(steps('a', 100).map((one) => log.append(topic, [one])));
        await new Promise(setImmediate);

        await log.close();
        await accepted;

        await expect(log.append(topic, steps('a', 1))).rejects.toMatchObject({ code: 'unavailable' });
        await expect(log.consume(topic, { group: 'g' }, () => Promise.resolve())).rejects.toMatchObject({ code: 'unavailable' });
        const notes = new Notes();
        await (await open()).consume(topic, { group: 'g' }, notes.note);
        await waitUntil(() => notes.records.length === 100);
      });
    });

    describeBroadcasting(open);
    describeDeadLetters(open);
  });
}
