import type { EventDefinition } from '@tidings/contracts/core/event';
import { waitUntil } from '@tidings/testing/wait-until';
import { newTopic, Notes, type Step, steps, upTo } from '../spec-events.fixture';
import type { PostgresEventLog } from './postgres-event-log';
import { PostgresUnderTest } from './postgres-under-test.fixture';

const READER = 'spec-reader';
const POLL_INTERVAL_MS = 1_000;
/** Longer than any test: only a wake-up makes the reader read. */
const LATE_MS = 600_000;
/** Promise: a record is handled within this time after the server is reachable again, without another append. */
const HANDLED = { what: 'the records to be handled', timeoutMs: 10_000 };

/** What a reader sends to the server, from a new connection to the first record after it. */
const STATEMENTS = ['application_name', 'SCRAM-SHA-256', 'LISTEN', 'group-lock-try', 'group-position', 'events-read', 'group-commit'];
const BREAKS = STATEMENTS.flatMap((statement) => [
  { when: 'before' as const, statement },
  { when: 'after' as const, statement },
]);

describe('A reader whose connection breaks', () => {
  let under: PostgresUnderTest;
  let topic: EventDefinition<Step>;
  let writer: PostgresEventLog;

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
  });
  beforeEach(async () => {
    topic = newTopic();
    // The reader learns of its appends only from the server's notifications.
    writer = await under.openElsewhere();
  });
  afterEach(async () => {
    under.proxy.cutAt(undefined, 'before');
    await under.closeLogs();
  });
  afterAll(() => under.close());

  const allHandled = (notes: Notes, count: number): boolean => notes.firstNumbers('a').length === count;
  const startReader = async (pollIntervalMs = POLL_INTERVAL_MS): Promise<{ handled: Notes; broadcasted: Notes }> => {
    const [handled, broadcasted] = [new Notes(), new Notes()];
    const reader = await under.open({ applicationName: READER, pollIntervalMs });
    await reader.consume(topic, { group: 'g' }, handled.note);
    await reader.broadcast(topic, broadcasted.add);
    await writer.append(topic, steps('a', 1));
    await waitUntil(() => allHandled(handled, 1) && allHandled(broadcasted, 1));
    return { handled, broadcasted };
  };

  it.each(BREAKS)('$when the server has "$statement" handles what was appended meanwhile', async ({ when, statement }) => {
    const { handled, broadcasted } = await startReader();

    under.proxy.cutAt(statement, when);
    under.proxy.setReachable(false);
    await writer.append(topic, steps('a', 1, 2));
    under.proxy.setReachable(true);
    await waitUntil(() => under.proxy.cuts > 0, { what: `a break ${when} "${statement}"` });
    await writer.append(topic, steps('a', 1, 3));
    under.proxy.cutAt(undefined, when);

    await waitUntil(() => allHandled(handled, 3) && allHandled(broadcasted, 3), HANDLED);
    expect(handled.firstNumbers('a')).toEqual(upTo(3));
    expect(broadcasted.firstNumbers('a')).toEqual(upTo(3));
  });

  it('handles records appended after a crash that undid announced positions', async () => {
    const { handled, broadcasted } = await startReader(LATE_MS);
    const [row] = await under.rows<{ id: number }>('SELECT id FROM events.topics WHERE name = $1', [topic.topic]);
    await under.rows('SELECT pg_notify($1, $2)', [`tidings_events_${row!.id}`, '1000000000']);

    await under.terminate(READER);
    for (const number of [2, 3]) {
      await writer.append(topic, steps('a', 1, number));
      await waitUntil(() => allHandled(handled, number) && allHandled(broadcasted, number), HANDLED);
    }
  });

  it('handles a record without a notification', async () => {
    const { handled, broadcasted } = await startReader();
    await under.rows(
      `INSERT INTO events.records (topic_id, position, appended_at, compacted, id, key, payload)
       SELECT topic_id, nextval('events.position'), appended_at, records.compacted, 'unannounced', key, replace(payload, '1', '2')
       FROM events.records JOIN events.topics ON topics.id = topic_id WHERE name = $1`,
      [topic.topic],
    );

    await waitUntil(() => allHandled(handled, 2) && allHandled(broadcasted, 2), HANDLED);
  });

  it('releases its group lock at the server after an unexpected error message', async () => {
    const { handled } = await startReader();

    under.proxy.interject();
    await writer.append(topic, steps('a', 1, 2));

    await waitUntil(() => allHandled(handled, 2), HANDLED);
  });

  describe('whose group lock is on another connection', () => {
    let handled: Notes;
    beforeEach(async () => {
      handled = new Notes();
      const first = await writer.consume(topic, { group: 'g' }, new Notes().note);
      const reader = await under.open({ applicationName: READER, pollIntervalMs: LATE_MS });
      await reader.consume(topic, { group: 'g' }, handled.note);
      await waitUntil(async () => (await under.waitingForLock()).length > 0, { what: 'the reader to stand by' });
      await first.stop();
      await writer.append(topic, steps('a', 1));
      await waitUntil(() => allHandled(handled, 1));
    });

    /** The server's processes of the reader's connections that listen, or last did; the one with the group lock does not. */
    const listening = async (): Promise<number[]> => {
      const rows = await under.rows<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database() AND query LIKE 'LISTEN %'
         AND state = 'idle'`,
        [READER],
      );
      return rows.map(({ pid }) => pid);
    };
    const terminateOthers = async (): Promise<number[]> => {
      const rows = await under.rows<{ pid: number }>(
        `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()
         AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)`,
        [READER],
      );
      return rows.map(({ pid }) => pid);
    };

    it('receives notifications again', async () => {
      const ended = await terminateOthers();
      await waitUntil(async () => (await listening()).some((pid) => !ended.includes(pid)), { what: 'another connection that listens' });

      await writer.append(topic, steps('a', 1, 2));

      await waitUntil(() => allHandled(handled, 2), HANDLED);
    });

    it('handles what was appended while nothing listened', async () => {
      under.proxy.cutAt('LISTEN', 'before');
      await terminateOthers();
      await waitUntil(() => under.proxy.cuts > 0, { what: 'an attempt to listen again' });
      await writer.append(topic, steps('a', 1, 2));
      under.proxy.cutAt(undefined, 'before');

      await waitUntil(() => allHandled(handled, 2), HANDLED);
    });
  });
});
