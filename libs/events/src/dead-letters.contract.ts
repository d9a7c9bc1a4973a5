import { ServiceError } from '@tidings/contracts/core/errors';
import { Logger } from '@nestjs/common';
import { waitUntil } from '@tidings/testing/wait-until';
import type { DeadLetter } from './dead-letters';
import type { EventLog, EventRecord } from './event-log';
import { newTopic, Notes, redrive, type Step, step, steps, upTo } from './spec-events.fixture';

/** How records whose handler fails are retried and dead-lettered. */
export function describeDeadLetters(open: () => Promise<EventLog>): void {
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
      expect(await log.deadLetters.page(topic)).toEqual([]);
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
      expect(await log.deadLetters.count(topic)).toBe(bad.size);
      expect(await log.deadLetters.count(newTopic())).toBe(0);
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

      const deadLetter = await waitUntil(async () => (await log.deadLetters.page(topic))[0]);
      const { position, appendedAt } = seen[0]!;
      expect(deadLetter).toMatchObject({ group: 'g', reason: 'rejected', attempts: seen.length, position, appendedAt });
      expect(deadLetter.deadAt).toBeGreaterThanOrEqual(appendedAt);
      expect(seen.length).toBeGreaterThanOrEqual(2);
      const [stored] = await log.deadLetters.find(topic, [deadLetter.reference]);
      expect(stored).toMatchObject({ ...deadLetter, id: event.id, key: 'w:a', payload: JSON.stringify(event.payload), isVerified: true });
    });

    it('name topic, and partition or position, of the record in the log', async () => {
      const topic = newTopic();
      const log = await open();
      const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      await log.append(topic, steps('a', 1));

      await log.consume(topic, { group: 'g' }, () => Promise.reject(new Error('rejected')));

      const line = await waitUntil(() => logged.mock.calls.map(([text]) => String(text)).find((text) => text.includes(topic.topic)));
      logged.mockRestore();
      const [{ position, partition, offset }] = (await waitUntil(async () => {
        const page = await log.deadLetters.page(topic);
        return page.length > 0 ? page : undefined;
      })) as [DeadLetter];
      const ends = [`${topic.topic}, position ${position}: rejected`, `${topic.topic}, partition ${partition}, offset ${offset}: rejected`];
      expect(ends.some((end) => line.endsWith(end))).toBe(true);
    });

    it('leave dead letters that are counted, read in pages, and removed, by another instance too', async () => {
      const topic = newTopic();
      const [log, other] = await Promise.all([open(), open()]);
      const bad = new Set(upTo(7));
      const notes = new Notes();
      expect(await other.deadLetters.count(topic)).toBe(0);
      await log.append(topic, steps('a', 7));
      await log.consume(topic, { group: 'g' }, refusing(bad, notes));
      await waitUntil(async () => (await other.deadLetters.count(topic)) === 7);

      const first = await other.deadLetters.page(topic, { limit: 3 });
      const rest = await other.deadLetters.page(topic, { after: first.at(-1)!.cursor, upTo: await other.deadLetters.last(topic) });

      const all = [...first, ...rest];
      expect([first.length, rest.length]).toEqual([3, 4]);
      expect(all.map(({ reason }) => reason)).toEqual(upTo(7).map((number) => `${number} is bad`));
      expect(new Set(all.map(({ reference }) => reference)).size).toBe(7);
      await other.deadLetters.remove(topic, [all[1]!.reference, all[6]!.reference, 'unknown']);
      expect(await log.deadLetters.count(topic)).toBe(5);
      expect(await log.deadLetters.find(topic, [all[1]!.reference])).toEqual([]);
      expect((await log.deadLetters.page(topic)).map(({ reference }) => reference)).toEqual(
        all.filter((_, index) => index !== 1 && index !== 6).map(({ reference }) => reference),
      );
    });

    it('get a redriven record again under its own id and running number', async () => {
      const topic = newTopic();
      const log = await open();
      const bad = new Set([1, 2, 3]);
      const notes = new Notes();
      const events = steps('a', 4).map((event, index) => ({ ...event, sequence: String(index + 1) }));
      await log.append(topic, events);
      await log.consume(topic, { group: 'g' }, refusing(bad, notes));
      const page = await waitUntil(async () => {
        const found = await log.deadLetters.page(topic);
        return found.length === 3 ? found : undefined;
      });
      const references = page.map(({ reference }) => reference);
      const stored = await log.deadLetters.find(topic, references);
      expect(stored.map(({ sequence }) => sequence).sort()).toEqual(['1', '2', '3']);
      bad.clear();

      await redrive(log, topic, [references[1]!]);
      await waitUntil(() => notes.names.join() === 'a4,a2');
      await redrive(log, topic, references);

      await waitUntil(() => notes.names.length === 4);
      expect(notes.names.slice(2).sort()).toEqual(['a1', 'a3']);
      expect(notes.records[1]).toMatchObject({ id: events[1]!.id, key: 'w:a', payload: events[1]!.payload, sequence: '2' });
      expect(await log.deadLetters.page(topic)).toEqual([]);
    });

    it('leave another dead letter when a redriven record fails again', async () => {
      const topic = newTopic();
      const log = await open();
      await log.append(topic, steps('a', 1));
      await log.consume(topic, { group: 'g' }, () => Promise.reject(new Error('rejected')));
      const [first] = await waitUntil(async () => {
        const found = await log.deadLetters.page(topic);
        return found.length === 1 ? found : undefined;
      });

      await redrive(log, topic, [first!.reference]);

      const [second] = await waitUntil(async () => {
        const found = await log.deadLetters.page(topic);
        return found.length === 1 && found[0]!.reference !== first!.reference ? found : undefined;
      });
      expect(BigInt(second!.position)).toBeGreaterThan(BigInt(first!.position));
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
