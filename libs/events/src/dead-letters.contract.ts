import { ServiceError } from '@tidings/contracts/core/errors';
import { waitUntil } from '@tidings/testing/wait-until';
import type { DeadLetters } from './dead-letters';
import type { EventLog, EventRecord } from './event-log';
import { newTopic, Notes, type Step, step, steps, upTo } from './spec-events.fixture';

/** How records whose handler fails are retried and dead-lettered. */
export function describeDeadLetters(open: () => Promise<EventLog & DeadLetters>): void {
  describe('handlers that fail', () => {
    it('get the same whole batch again after a transient error', async () => {
      const topic = newTopic();
      const log = await open();
      await log.append(topic, steps('a', 3));
      const batches: string[] = [];

      await log.consume(topic, { group: 'g' }, (batch) => {
        batches.push(batch.map(({ payload }) => payload!.number).join());
        return batches.length < 4 ? Promise.reject(new ServiceError('unavailable', 'the database is unavailable')) : Promise.resolve();
      });

      await waitUntil(() => batches.length === 4);
      expect(new Set(batches)).toEqual(new Set(['1,2,3']));
      expect(await log.deadLetters(topic)).toEqual([]);
    });

    it('dead-letter exactly the bad records and handle all others in order', async () => {
      const topic = newTopic();
      const log = await open();
      const bad = new Set([1, 13, 14, 40]);
      const notes = new Notes();
      const dead: { number: number; reason: string }[] = [];
      await log.append(topic, steps('a', 40));

      await log.consume(
        topic,
        {
          group: 'g',
          onDead: (record, reason) => Promise.resolve(void dead.push({ number: record.payload!.number, reason })),
        },
        refusing(bad, notes),
      );

      await waitUntil(() => notes.firstNumbers('a').length + dead.length === 40);
      expect(notes.firstNumbers('a')).toEqual(upTo(40).filter((number) => !bad.has(number)));
      expect(notes.records).toHaveLength(36);
      expect(dead).toEqual([...bad].map((number) => ({ number, reason: `${number} is bad` })));
    });

    it('continue after a bad record', async () => {
      const topic = newTopic();
      const log = await open();
      const notes = new Notes();
      await log.consume(topic, { group: 'g' }, refusing(new Set([2]), notes));

      for (const one of steps('a', 3)) await log.append(topic, [one]);

      await waitUntil(() => notes.names.join() === 'a1,a3');
    });

    it('leave a dead letter with the reason and the original record', async () => {
      const topic = newTopic();
      const log = await open();
      const event = step('a', 1, '"original" \u0000');
      await log.append(topic, [event]);
      const seen: EventRecord<Step>[] = [];

      await log.consume(topic, { group: 'g' }, ([record]) => {
        seen.push(record!);
        return Promise.reject(new Error('rejected'));
      });

      const deadLetter = await waitUntil(async () => (await log.deadLetters(topic))[0]);
      const { position, appendedAt } = seen[0]!;
      expect(deadLetter).toEqual({
        group: 'g',
        reason: 'rejected',
        attempts: seen.length,
        id: event.id,
        key: 'w:a',
        position,
        appendedAt,
        payload: JSON.stringify(event.payload),
      });
      expect(seen.length).toBeGreaterThanOrEqual(2);
    });

    it('get a requeued record again under its own id and running number', async () => {
      const topic = newTopic();
      const log = await open();
      const bad = new Set([1, 2, 3]);
      const notes = new Notes();
      const events = steps('a', 4).map((event, index) => ({ ...event, sequence: String(index + 1) }));
      await log.append(topic, events);
      await log.consume(topic, { group: 'g' }, refusing(bad, notes));
      await waitUntil(async () => (await log.deadLetters(topic)).length === 3);
      expect((await log.deadLetters(topic)).map(({ sequence }) => sequence)).toEqual(['1', '2', '3']);
      bad.clear();

      expect(await log.requeueDead(topic, [events[1]!.id, 'unknown'])).toBe(1);
      await waitUntil(() => notes.names.join() === 'a4,a2');
      expect(await log.requeueDead(topic)).toBe(2);

      await waitUntil(() => notes.names.join() === 'a4,a2,a1,a3');
      expect(notes.records[1]).toMatchObject({ id: events[1]!.id, key: 'w:a', payload: events[1]!.payload, sequence: '2' });
      expect(await log.deadLetters(topic)).toEqual([]);
      expect(await log.requeueDead(topic)).toBe(0);
    });
  });
}

/** Notes batches without a bad record and rejects the others. */
function refusing(bad: ReadonlySet<number>, notes: Notes): (batch: readonly EventRecord<Step>[]) => Promise<void> {
  return (batch) => {
    const found = batch.find(({ payload }) => bad.has(payload!.number));
    return found ? Promise.reject(new Error(`${found.payload!.number} is bad`)) : notes.note(batch);
  };
}
