import type { EventDefinition } from '@tidings/contracts/core/event';
import { waitUntil } from '@tidings/testing/wait-until';
import { newTopic, Notes, type Step, steps, upTo } from '../spec-events.fixture';
import type { PostgresEventLog } from './postgres-event-log';
import { PostgresUnderTest } from './postgres-under-test.fixture';

const READER = 'spec-reader';
const LOOK_MS_MAX = 1_000;
/** The promise: a record is handled within this time of the reader's way to the server being free, with nothing new appended. */
const HANDLED = { what: 'the records to be handled', timeoutMs: 10_000 };

/** What a reader says to the server, from a new connection to the first record after it. */
const STATEMENTS = ['application_name', 'SCRAM-SHA-256', 'LISTEN', 'place-try', 'group-position', 'events-read', 'group-commit'];
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
    // What it appends the reader hears of from the server alone.
    writer = await under.openElsewhere();
  });
  afterEach(async () => {
    under.proxy.cutAt(undefined, 'before');
    await under.closeLogs();
  });
  afterAll(() => under.close());

  const allHandled = (notes: Notes, count: number): boolean => notes.firstNumbers('a').length === count;
  const readerOf = async (): Promise<{ handled: Notes; heard: Notes }> => {
    const [handled, heard] = [new Notes(), new Notes()];
    const reader = await under.open({ applicationName: READER, lookMsMax: LOOK_MS_MAX });
    await reader.consume(topic, { group: 'g' }, handled.note);
    await reader.broadcast(topic, heard.tell);
    await writer.append(topic, steps('a', 1));
    await waitUntil(() => allHandled(handled, 1) && allHandled(heard, 1));
    return { handled, heard };
  };

  it.each(BREAKS)('$when the server has "$statement" handles what was appended meanwhile', async ({ when, statement }) => {
    const { handled, heard } = await readerOf();

    under.proxy.cutAt(statement, when);
    under.proxy.setReachable(false);
    await writer.append(topic, steps('a', 1, 2));
    under.proxy.setReachable(true);
    await waitUntil(() => under.proxy.cuts > 0, { what: `a break ${when} "${statement}"` });
    await writer.append(topic, steps('a', 1, 3));
    under.proxy.cutAt(undefined, when);

    await waitUntil(() => allHandled(handled, 3) && allHandled(heard, 3), HANDLED);
    expect(handled.firstNumbers('a')).toEqual(upTo(3));
    expect(heard.firstNumbers('a')).toEqual(upTo(3));
  });

  it('handles what is appended after a crash that took back what had been announced', async () => {
    const { handled, heard } = await readerOf();
    const [row] = await under.rows<{ id: number }>('SELECT id FROM events.topics WHERE name = $1', [topic.topic]);
    await under.rows('SELECT pg_notify($1, $2)', [`tidings_events_${row!.id}`, '1000000000']);

    await under.terminate(READER);
    for (const number of [2, 3]) {
      await writer.append(topic, steps('a', 1, number));
      await waitUntil(() => allHandled(handled, number) && allHandled(heard, number), HANDLED);
    }
  });

  it('handles what no notification told of', async () => {
    const { handled, heard } = await readerOf();
    await under.rows(
      `INSERT INTO events.records (topic_id, position, appended_at, compacted, id, key, payload)
       SELECT topic_id, nextval('events.position'), appended_at, records.compacted, 'unannounced', key, replace(payload, '1', '2')
       FROM events.records JOIN events.topics ON topics.id = topic_id WHERE name = $1`,
      [topic.topic],
    );

    await waitUntil(() => allHandled(handled, 2) && allHandled(heard, 2), HANDLED);
  });

  it('lets go of its group at the server, whatever the server said last', async () => {
    const { handled } = await readerOf();

    under.proxy.interject();
    await writer.append(topic, steps('a', 1, 2));

    await waitUntil(() => allHandled(handled, 2), HANDLED);
  });

  it('hears of commits again while it works for its group over another connection', async () => {
    const handled = new Notes();
    const first = await writer.consume(topic, { group: 'g' }, new Notes().note);
    const reader = await under.open({ applicationName: READER, lookMsMax: LOOK_MS_MAX });
    await reader.consume(topic, { group: 'g' }, handled.note);
    await waitUntil(async () => (await under.rows('SELECT FROM pg_locks WHERE locktype = $1 AND NOT granted', ['advisory'])).length > 0, {
      what: 'the reader to stand by',
    });
    await first.stop();
    await writer.append(topic, steps('a', 1));
    await waitUntil(() => allHandled(handled, 1));

    // All but the one that holds the group.
    await under.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1
       AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)`,
      [READER],
    );
    await writer.append(topic, steps('a', 1, 2));

    await waitUntil(() => allHandled(handled, 2), HANDLED);
  });
});
