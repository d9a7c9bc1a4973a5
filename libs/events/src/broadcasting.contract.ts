import { waitUntil } from '@tidings/testing/wait-until';
import type { EventLog } from './event-log';
import { newTopic, Notes, steps, upTo } from './spec-events.fixture';

/** What instances that hear everything can rely on. */
export function describeBroadcasting(open: () => Promise<EventLog>): void {
  describe('broadcasting', () => {
    it('tells every instance everything appended since it subscribed, in order', async () => {
      const topic = newTopic();
      const [one, two, writer] = await Promise.all([open(), open(), open()]);
      const [first, second] = [new Notes(), new Notes()];
      await writer.append(topic, steps('old', 3));

      const subscription = await one.broadcast(topic, first.tell);
      await two.broadcast(topic, second.tell);
      await writer.append(
        topic,
        steps('a', 20).map((event, index) => ({ ...event, sequence: String(index + 1) })),
      );

      await waitUntil(() => first.records.length >= 20 && second.records.length >= 20);
      expect(first.names).toEqual(upTo(20).map((number) => `a${number}`));
      expect(second.names).toEqual(first.names);
      expect(first.records.map(({ sequence }) => sequence)).toEqual(upTo(20).map(String));
      await waitUntil(() => subscription.interruptedForMs() === 0, { what: 'the line to be known to be good' });
    });

    it('goes on after a handler that throws', async () => {
      const topic = newTopic();
      const log = await open();
      const notes = new Notes();
      await log.broadcast(topic, (record) => {
        notes.tell(record);
        throw new Error('the handler is broken');
      });

      await log.append(topic, steps('a', 2));

      await waitUntil(() => notes.names.join() === 'a1,a2');
    });
  });
}
