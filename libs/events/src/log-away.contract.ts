import { ServiceError } from '@tidings/contracts/core/errors';
import { waitUntil } from '@tidings/testing/wait-until';
import { type LogUnderTest, START_TIMEOUT_MS } from './event-log.contract';
import { nameOf, newTopic, Notes, steps } from './spec-events.fixture';

/** A log under test that can be unavailable. */
export interface LogToTakeAway extends LogUnderTest {
  /** Breaks every connection; nothing can be reached until the returned function is called. */
  takeAway(): Promise<() => Promise<void>>;
}

/** What every event log promises for the time in which it cannot be reached, and afterwards. */
export function describeLogAway(name: string, start: () => Promise<LogToTakeAway>): void {
  describe(`${name} as an event log that was away`, () => {
    let under: LogToTakeAway;
    const open: LogUnderTest['open'] = () => under.open();

    beforeAll(async () => {
      under = await start();
    }, START_TIMEOUT_MS);
    afterAll(() => under?.close());

    it('refuses at once, reports the interruption, and everything goes on by itself', async () => {
      const topic = newTopic();
      const [log, writer] = await Promise.all([open(), open()]);
      const [consumed, told] = [new Notes(), new Notes()];
      await log.consume(topic, { group: 'g' }, consumed.note);
      const broadcast = await log.broadcast(topic, told.tell);
      await writer.append(topic, steps('a', 1));
      await waitUntil(() => consumed.records.length === 1 && told.records.length === 1);
      expect(await writer.ready()).toBe(true);

      const back = await under.takeAway();
      await waitUntil(() => broadcast.interruptedForMs() > 200, { what: 'the interruption to be noticed' });
      expect(await writer.ready()).toBe(false);
      await expect(writer.append(topic, steps('lost', 1), { deadlineMs: 500 })).rejects.toBeInstanceOf(ServiceError);
      await back();

      await waitUntil(() => writer.ready());
      await writer.append(topic, steps('a', 1, 2));
      await waitUntil(() => consumed.names.includes('a2') && told.names.includes('a2'));
      await waitUntil(() => broadcast.interruptedForMs() === 0);
      expect(told.records.map(nameOf).filter((each) => each.startsWith('a'))).toEqual(['a1', 'a2']);
    });
  });
}
