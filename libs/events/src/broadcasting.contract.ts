import { waitUntil } from '@tidings/testing/wait-until';
import type { EventLog } from './event-log';
import { newTopic, Notes, steps, upTo } from './spec-events.fixture';

/** What a broadcast promises its subscribers. */
export function describeBroadcasting(open: () => Promise<EventLog>): void {
  describe('broadcasting', () => {
    it('delivers to every instance, in order, all records appended since it subscribed', async () => {
      const topic = newTopic();
      const [one, two, writer] = await Promise.all([open(), open(), open()]);
      const [first, second] = [new Notes(), new Notes()];
      await writer.append(topic, steps('old', 3));

      const subscription = await one.broadcast(topic, first.add);
      await two.broadcast(topic, second.add);
      await writer.append(
        topic,
        steps('a', 20).map((event, index) => ({ ...event, sequence: String(index + 1) })),
      );

      await waitUntil(() => first.records.length >= 20 && second.records.length >= 20);
      expect(first.names).toEqual(upTo(20).map((number) => `a${number}`));
      expect(second.names).toEqual(first.names);
      expect(first.records.map(({ sequence }) => sequence)).toEqual(upTo(20).map(String));
      await waitUntil(() => subscription.interruptedForMs() === 0, { what: 'the connection to be confirmed' });
    });

    it('continues after a handler throws', async () => {
      const topic = newTopic();
      const log = await open();
      const notes = new Notes();
      await log.broadcast(topic, (record) => {
        notes.add(record);
        throw new Error('the handler is broken');
      });

      await log.append(topic, steps('a', 2));

      await waitUntil(() => notes.names.join() === 'a1,a2');
    });
  });
}
