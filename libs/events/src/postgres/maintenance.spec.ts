import { createTestDatabase } from '@tidings/testing/database';
import { newTopic, Notes, type Step, step, steps } from '../spec-events.fixture';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { LOCK_CLASS } from '../locks';
import { migrateEventLog } from './migrate';
import { PostgresUnderTest } from './postgres-under-test.fixture';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('Maintenance of the log in PostgreSQL', () => {
  let under: PostgresUnderTest;

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
  });
  afterAll(() => under.close());

  const stored = async ({ topic }: EventDefinition<Step>): Promise<(string | null)[]> => {
    const rows = await under.rows<{ key: string; number: number | null }>(
      "SELECT key, (payload::json->>'number')::int AS number FROM events.records WHERE topic_id = (SELECT id FROM events.topics WHERE name = $1) ORDER BY position",
      [topic],
    );
    return rows.map(({ key, number }) => `${key}=${number}`);
  };
  const age = ({ topic }: EventDefinition<Step>, ms: number) =>
    under.rows('UPDATE events.records SET appended_at = appended_at - $2 WHERE topic_id = (SELECT id FROM events.topics WHERE name = $1)', [
      topic,
      ms,
    ]);

  it('removes only records older than their topic’s retention', async () => {
    const [hourly, lasting] = [newTopic({ retentionMs: HOUR_MS }), newTopic({ retentionMs: null })];
    const log = await under.open();
    await log.append(hourly, steps('a', 3));
    await log.append(lasting, steps('a', 1));
    await age(hourly, HOUR_MS + 1);
    await age(lasting, 1_000 * HOUR_MS);
    await log.append(hourly, steps('a', 1, 4));

    expect(await log.maintain()).toBe(true);

    expect(await stored(hourly)).toEqual(['w:a=4']);
    expect(await stored(lasting)).toEqual(['w:a=1']);
    await log.maintain({ now: Date.now() + 2 * HOUR_MS });
    expect(await stored(hourly)).toEqual([]);
  });

  it('lets a reader continue after removed records', async () => {
    const topic = newTopic({ retentionMs: HOUR_MS });
    const log = await under.open();
    await log.append(topic, steps('a', 3));
    await log.maintain({ now: Date.now() + 2 * HOUR_MS });
    const [notes, broadcasted] = [new Notes(), new Notes()];
    await log.consume(topic, { group: 'slow' }, notes.note);
    await log.broadcast(topic, broadcasted.add);

    await log.append(topic, steps('a', 1, 4));

    await waitUntil(() => notes.names.join() === 'a4' && broadcasted.names.join() === 'a4');
  });

  it('retains only the latest record of each key of a compacted topic, once it is a minute old', async () => {
    const topic = newTopic({ compacted: true, retentionMs: null });
    const log = await under.open();
    await log.append(topic, [step('a', 1), step('b', 1), step('a', 2)]);
    await log.append(topic, [step('a', 3)]);

    await log.maintain();
    expect(await stored(topic)).toHaveLength(4);

    const later = Date.now() + 2 * MINUTE_MS;
    await log.maintain({ now: later });
    expect(await stored(topic)).toEqual(['w:b=1', 'w:a=3']);

    await log.append(topic, [step('b', 2)]);
    await log.maintain({ now: later });
    expect(await stored(topic)).toEqual(['w:a=3', 'w:b=2']);
  });

  it('retains every record of other topics', async () => {
    const topic = newTopic();
    const log = await under.open();
    await log.append(topic, steps('a', 3));

    await log.maintain({ now: Date.now() + HOUR_MS });

    expect(await stored(topic)).toHaveLength(3);
  });

  it('removes a key’s records at once and its tombstone a day later', async () => {
    const topic = newTopic({ compacted: true, retentionMs: null });
    const log = await under.open();
    await log.append(topic, [step('a', 1), step('b', 1), { id: 'deleted', key: 'w:a', payload: null }]);

    await log.maintain({ now: Date.now() + HOUR_MS });
    expect(await stored(topic)).toEqual(['w:b=1', 'w:a=null']);

    await log.maintain({ now: Date.now() + 25 * HOUR_MS });
    expect(await stored(topic)).toEqual(['w:b=1']);
  });

  it('processes more records than one step does', async () => {
    const topic = newTopic({ compacted: true, retentionMs: HOUR_MS });
    const log = await under.open();
    const many = Array.from({ length: 12_000 }, (_, index) => step(`run${index % 10}`, index));
    for (let from = 0; from < many.length; from += 1_000) await log.append(topic, many.slice(from, from + 1_000));

    await log.maintain({ now: Date.now() + 2 * MINUTE_MS });
    expect(await stored(topic)).toEqual(Array.from({ length: 10 }, (_, run) => `w:run${run}=${11_990 + run}`));

    await log.maintain({ now: Date.now() + 2 * HOUR_MS });
    expect(await stored(topic)).toEqual([]);
  });

  it('runs in one instance at a time', async () => {
    const log = await under.open();
    const other = new Client({ connectionString: under.database.adminUrl });
    await other.connect();
    await other.query('SELECT pg_advisory_lock($1, 0)', [LOCK_CLASS.maintenance]);

    expect(await log.maintain()).toBe(false);
    await other.end();

    await waitUntil(() => log.maintain());
    expect(await log.maintain({ unlessWithinMs: HOUR_MS })).toBe(false);
  });

  it('runs by itself', async () => {
    const topic = newTopic({ retentionMs: 1 });
    const log = await under.open({ maintenanceIntervalMs: 50 });

    await log.append(topic, steps('a', 3));

    await waitUntil(async () => (await stored(topic)).length === 0);
  });
});

describe('Migration of the event log', () => {
  it('may run in many processes at once, and repeatedly', async () => {
    const database = await createTestDatabase();

    await Promise.all(Array.from({ length: 5 }, () => migrateEventLog(database.urlOf('events'))));
    await migrateEventLog(database.urlOf('events'));

    await database.drop();
  });
});
