import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import type { GivenBatch } from '../event-log';
import { newTopic, Notes, steps } from '../spec-events.fixture';
import { PostgresUnderTest } from './postgres-under-test.fixture';

describe('A handler that settles its batches later', () => {
  let under: PostgresUnderTest;

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
  });
  afterEach(() => under.closeLogs());
  afterAll(() => under.close());

  const positionOf = async ({ topic }: { topic: string }): Promise<number> => {
    const text = 'SELECT position FROM events.groups WHERE topic_id = (SELECT id FROM events.topics WHERE name = $1)';
    const [row] = await under.rows<{ position: string }>(text, [topic]);
    return Number(row!.position);
  };

  it('gets the next batches meanwhile; the position is committed up to the first that is not settled', async () => {
    const topic = newTopic();
    const log = await under.open();
    const notes = new Notes();
    const latches = [latch(), latch(), latch()];
    await log.consume(topic, { group: 'g', maxBatch: 1 }, async (batch) => {
      await notes.note(batch);
      return { settled: latches[notes.records.length - 1]!.opened };
    });
    await log.append(topic, steps('a', 3));
    await waitUntil(() => notes.records.length === 3, { what: 'all batches' });
    const positions = notes.records.map(({ position }) => Number(position));

    latches[2]!.open();
    latches[0]!.open();
    await waitUntil(async () => (await positionOf(topic)) === positions[0], { what: 'the position of the first' });
    latches[1]!.open();

    await waitUntil(async () => (await positionOf(topic)) === positions[2], { what: 'the position of the last' });
  });

  it('learns that records may have been given before when they were not settled, and that later ones were not', async () => {
    const topic = newTopic();
    const log = await under.open({ applicationName: 'spec-unsettled' });
    const notes = new Notes();
    const given: (GivenBatch | undefined)[] = [];
    await log.consume(topic, { group: 'g' }, async (batch, _signal, ofBatch) => {
      given.push(ofBatch);
      await notes.note(batch);
      return { settled: given.length === 1 ? new Promise<void>(() => {}) : Promise.resolve() };
    });
    await log.append(topic, steps('a', 1));
    await waitUntil(() => notes.names.length === 1, { what: 'the first delivery' });

    const lostAt = Date.now();
    await under.terminate('spec-unsettled');

    await waitUntil(() => notes.names.length === 2, { what: 'the second delivery' });
    expect(notes.names).toEqual(['a1', 'a1']);
    expect(given.map((one) => one?.isFirst)).toEqual([true, false]);
    expect(given[1]!.aloneSinceMs).toBeGreaterThanOrEqual(lostAt);
  });

  it('is the first to get what follows an orderly stop', async () => {
    const topic = newTopic();
    const [log, next] = [await under.open(), await under.open()];
    const first = new Notes();
    const subscription = await log.consume(topic, { group: 'g' }, first.note);
    await log.append(topic, steps('a', 1));
    await waitUntil(() => first.names.length === 1, { what: 'the first record' });
    await subscription.stop();
    const given: (GivenBatch | undefined)[] = [];

    await next.consume(topic, { group: 'g' }, (_batch, _signal, ofBatch) => Promise.resolve(void given.push(ofBatch)));
    await log.append(topic, steps('a', 1, 2));

    await waitUntil(() => given.length > 0, { what: 'the second record' });
    expect(given.map((one) => one?.isFirst)).toEqual([true]);
  });

  it('waits at a stop until its batches are settled', async () => {
    const topic = newTopic();
    const log = await under.open();
    const notes = new Notes();
    const settle = latch();
    const subscription = await log.consume(topic, { group: 'g' }, async (batch) => {
      await notes.note(batch);
      return { settled: settle.opened };
    });
    await log.append(topic, steps('a', 1));
    await waitUntil(() => notes.names.length === 1, { what: 'the record' });

    const stopped = subscription.stop();
    settle.open();
    await stopped;

    expect(await positionOf(topic)).toBe(Number(notes.records[0]!.position));
  });
});
