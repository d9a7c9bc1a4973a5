import type { EventDefinition } from '@tidings/contracts/core/event';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { newTopic, Notes, type Step, step, steps, upTo } from '../spec-events.fixture';
import { PostgresEventLog } from './postgres-event-log';
import { PostgresUnderTest } from './postgres-under-test.fixture';

const MINUTE_MS = 60_000;

/** Events acknowledged between two terminations of all connections, so that the appends progress on any machine. */
const ACKNOWLEDGED_BETWEEN = 6;

describe('Appending to PostgreSQL', () => {
  let under: PostgresUnderTest;

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    under.proxy.cutAt(undefined, 'before');
  });
  afterAll(() => under.close());

  const storedIds = async (topic: string): Promise<string[]> =>
    (
      await under.rows<{ id: string }>(
        'SELECT r.id FROM events.records r JOIN events.topics t ON t.id = topic_id WHERE name = $1 ORDER BY position',
        [topic],
      )
    ).map(({ id }) => id);

  it('keeps readers behind a slow commit between two fast ones', async () => {
    const topic = newTopic();
    const log = await under.open();
    const notes = new Notes();
    await log.consume(topic, { group: 'g' }, notes.note);
    await log.append(topic, steps('a', 1));
    const [{ id }] = (await under.rows<{ id: number }>('SELECT id FROM events.topics WHERE name = $1', [topic.topic])) as [{ id: number }];
    const slow = new Client({ connectionString: under.database.urlOf('events') });
    await slow.connect();

    await slow.query('BEGIN');
    const payload = JSON.stringify(step('a', 2).payload);
    await slow.query("SELECT events.append(ARRAY[$1::int], '{}', ARRAY[$1::int], '{slow}', '{w:a}', ARRAY[$2], NULL)", [id, payload]);
    const fast = log.append(topic, steps('a', 1, 3));
    await waitUntil(async () => (await under.waitingForLock()).length > 0, {
      what: 'the fast append to wait for the slow one',
    });
    await slow.query('COMMIT');
    await slow.end();
    await fast;

    await waitUntil(() => notes.records.length === 3);
    expect(notes.names).toEqual(['a1', 'a2', 'a3']);
  });

  it.each(['before', 'after'] as const)('stores an event once when the connection breaks %s the commit', async (when) => {
    const topic = newTopic();
    const log = await under.open();
    await log.append(topic, [{ ...step('a', 1), id: 'first' }]);

    under.proxy.cutAt('events-append', when);
    const append = log.append(topic, [{ ...step('a', 2), id: 'second' }]);
    await waitUntil(async () => under.proxy.cuts > 0 && (when === 'before' || (await storedIds(topic.topic)).length === 2));
    under.proxy.cutAt(undefined, when);
    await append;

    expect(await storedIds(topic.topic)).toEqual(['first', 'second']);
  });

  it('acknowledges an event only when it is on disk', async () => {
    const topic = newTopic();
    const database = new URL(under.database.adminUrl).pathname.slice(1);
    // Test servers run with synchronous_commit=off by default. A deferred trigger sees the setting in effect at the commit.
    await under.admin.query(`
      ALTER DATABASE "${database}" SET synchronous_commit = on;
      CREATE TABLE events.commits (synchronous text);
      CREATE FUNCTION events.note_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$ BEGIN INSERT INTO events.commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER note_commit AFTER INSERT ON events.records DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION events.note_commit()`);
    try {
      const log = await under.open();

      await log.append(topic, steps('a', 1));

      expect(await under.rows('SELECT synchronous FROM events.commits')).toEqual([{ synchronous: 'on' }]);
    } finally {
      await under.admin.query(`
        DROP FUNCTION events.note_commit() CASCADE;
        DROP TABLE events.commits;
        ALTER DATABASE "${database}" RESET synchronous_commit`);
    }
  });

  it('fails as deadline_exceeded while the outcome stays unknown, and stores the event once', async () => {
    const topic = newTopic();
    const log = await under.open();
    await log.append(topic, [{ ...step('a', 1), id: 'first' }]);

    under.proxy.cutAt('events-append', 'after');
    const append = log.append(topic, [{ ...step('a', 2), id: 'second' }], { deadlineMs: MINUTE_MS });
    append.catch(() => {}); // awaited below
    await waitUntil(async () => (await storedIds(topic.topic)).length === 2, { what: 'the event to be stored, unacknowledged' });
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + MINUTE_MS);

    await expect(append).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await storedIds(topic.topic)).toEqual(['first', 'second']);
  });

  it('fails as unavailable at once without a database, and recovers', async () => {
    const topic = newTopic();
    const log = await under.open();
    await log.append(topic, steps('a', 1));

    const restore = await under.interrupt();
    await waitUntil(async () => !(await log.ready()));
    await expect(log.append(topic, steps('lost', 1))).rejects.toMatchObject({ code: 'unavailable', hints: { retryAfterSeconds: 1 } });
    await expect(PostgresEventLog.connect({ databaseUrl: under.proxy.url, applicationName: 'spec' })).rejects.toMatchObject({
      code: 'unavailable',
    });
    await restore();

    await log.append(topic, steps('a', 1, 2));
    expect(await storedIds(topic.topic)).toHaveLength(2);
  });

  it('fails as unavailable when the database is read-only', async () => {
    const topic = newTopic();
    const log = await under.open({ applicationName: 'spec-refused' });
    await log.append(topic, steps('a', 1));
    const database = new URL(under.database.adminUrl).pathname.slice(1);
    const set = (action: string) => under.rows(`ALTER ROLE tidings_events IN DATABASE "${database}" ${action}`);

    await set('SET default_transaction_read_only = on');
    await under.terminate('spec-refused');
    try {
      // On the terminated connection the outcome is unknown; on a new one it is known.
      const codeOf = (append: Promise<void>) =>
        append.then(
          () => 'stored',
          ({ code }: { code: string }) => code,
        );
      await waitUntil(async () => (await codeOf(log.append(topic, steps('lost', 1), { deadlineMs: 100 }))) === 'unavailable');
      expect(await log.ready()).toBe(false);
    } finally {
      await set('RESET default_transaction_read_only');
    }

    expect(await storedIds(topic.topic)).toHaveLength(1);
  });

  it('loses no acknowledged event while its connections are terminated repeatedly', async () => {
    const topic = newTopic();
    const [one, two] = await Promise.all([under.open({ applicationName: 'spec-victim' }), under.open({ applicationName: 'spec-victim' })]);
    const reader = await under.openElsewhere({ applicationName: 'spec-victim' });
    const notes = new Notes();
    await reader.consume(topic, { group: 'g', maxBatch: 10 }, notes.note);
    const runs = ['a', 'b', 'c', 'd'];
    let acknowledged = 0;
    const onAppended = (): void => void (acknowledged += 1);

    const appending = Promise.all(runs.map((run, index) => appendWithRetries([one, two][index % 2]!, topic, run, 60, onAppended)));
    let done = false;
    void appending.finally(() => (done = true)).catch(() => {});
    let rounds = 0;
    while (!done) {
      expect(await under.terminate('spec-victim')).toBeGreaterThan(0);
      rounds += 1;
      const next = acknowledged + ACKNOWLEDGED_BETWEEN;
      await waitUntil(() => done || acknowledged >= next, { what: 'appending to continue', intervalMs: 1 });
    }
    await appending;
    expect(rounds).toBeGreaterThan(3);

    await waitUntil(() => runs.every((run) => notes.firstNumbers(run).length === 60), { what: 'all records' });
    for (const run of runs) expect(notes.firstNumbers(run)).toEqual(upTo(60));
  });
});

/** Appends a run's steps in order, and retries an append that failed as unavailable. */
async function appendWithRetries(
  log: PostgresEventLog,
  topic: EventDefinition<Step>,
  run: string,
  count: number,
  onAppended: () => void,
): Promise<void> {
  for (const one of steps(run, count)) {
    await waitUntil(() =>
      log.append(topic, [one]).then(
        () => true,
        (error: { code: string }) => {
          if (error.code !== 'unavailable') throw error;
          return false;
        },
      ),
    );
    onAppended();
  }
}
