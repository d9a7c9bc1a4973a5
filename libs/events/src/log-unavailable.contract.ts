import { ServiceError } from '@tidings/contracts/core/errors';
import { waitUntil } from '@tidings/testing/wait-until';
import { type LogUnderTest, START_TIMEOUT_MS } from './event-log.contract';
import { nameOf, newTopic, Notes, steps } from './spec-events.fixture';

/** A log under test that can be made unavailable. */
export interface InterruptibleLog extends LogUnderTest {
  /** Breaks every connection, and refuses new ones until the returned function is called. */
  interrupt(): Promise<() => Promise<void>>;
}

/** What every event log promises while it is unavailable, and afterwards. */
export function describeLogUnavailable(name: string, start: () => Promise<InterruptibleLog>): void {
  describe(`${name} as an event log that was unavailable`, () => {
    let under: InterruptibleLog;
    const open: LogUnderTest['open'] = () => under.open();

    beforeAll(async () => {
      under = await start();
    }, START_TIMEOUT_MS);
    afterAll(() => under?.close());

    it('refuses at once, reports the interruption and recovers by itself', async () => {
      const topic = newTopic();
      const [log, writer] = await Promise.all([open(), open()]);
      const [consumed, broadcasted] = [new Notes(), new Notes()];
      await log.consume(topic, { group: 'g' }, consumed.note);
      const broadcast = await log.broadcast(topic, broadcasted.add);
      await writer.append(topic, steps('a', 1));
      await waitUntil(() => consumed.records.length === 1 && broadcasted.records.length === 1);
      expect(await writer.ready()).toBe(true);

      const restore = await under.interrupt();
      await waitUntil(() => broadcast.interruptedForMs() > 200, { what: 'the interruption to be noticed' });
      expect(await writer.ready()).toBe(false);
      await expect(writer.append(topic, steps('lost', 1), { deadlineMs: 500 })).rejects.toBeInstanceOf(ServiceError);
      await restore();

      await waitUntil(() => writer.ready());
      await writer.append(topic, steps('a', 1, 2));
      await waitUntil(() => consumed.names.includes('a2') && broadcasted.names.includes('a2'));
      await waitUntil(() => broadcast.interruptedForMs() === 0);
      expect(broadcasted.records.map(nameOf).filter((each) => each.startsWith('a'))).toEqual(['a1', 'a2']);
    });
  });
}
