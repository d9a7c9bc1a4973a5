import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { newTopic, Notes, step, steps } from '../spec-events.fixture';
import { PostgresUnderTest } from './postgres-under-test.fixture';
import { Session } from './session';

/** Several times every interval of the log, heartbeats included. */
const IDLE_MS = 2_000;
const NEVER_MS = 600_000;
const POLL_MS = 300;

/** The database of a pg client, or of a session that has one. */
function databaseOf(caller: unknown): string | undefined {
  const { client = caller } = caller as { client?: unknown };
  return (client as Client & { database?: string }).database;
}

describe('Readers of the log in PostgreSQL', () => {
  let under: PostgresUnderTest;
  /** The queries to this suite's database: services shared with other suites query theirs meanwhile. */
  const ownOf = <Query>({ mock }: { mock: { calls: [Query, ...unknown[]][]; contexts: unknown[] } }): Query[] =>
    mock.calls.flatMap(([query], index) =>
      databaseOf(mock.contexts[index]) === new URL(under.database.adminUrl).pathname.slice(1) ? [query] : [],
    );

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await under.closeLogs();
  });
  afterAll(() => under.close());

  it.each(['in this process', 'in another process'])('are woken by a commit %s, and send no query while idle', async (where) => {
    const topic = newTopic();
    const writer = await under.open();
    const options = { pollIntervalMs: NEVER_MS };
    const reader = where === 'in this process' ? await under.open(options) : await under.openElsewhere(options);
    const [notes, broadcasted] = [new Notes(), new Notes()];
    await reader.consume(topic, { group: 'g' }, notes.note);
    await reader.broadcast(topic, broadcasted.add);
    await writer.append(topic, steps('a', 1));
    await waitUntil(() => notes.records.length === 1 && broadcasted.records.length === 1);

    const queries = jest.spyOn(Client.prototype, 'query');
    const idleQueries = async (): Promise<unknown[]> => {
      queries.mockClear();
      await delay(IDLE_MS);
      return ownOf(queries as never);
    };
    // The position is still committed once; afterwards two whole intervals stay without a query.
    await waitUntil(async () => (await idleQueries()).length === 0, { what: `${IDLE_MS} ms without a query` });
    expect(await idleQueries()).toEqual([]);

    // Polling is off, so only the commit can wake them.
    await writer.append(topic, steps('a', 1, 2));
    await waitUntil(() => notes.records.length === 2 && broadcasted.records.length === 2, { intervalMs: 1 });
  });

  it('poll no more often than configured', async () => {
    const topic = newTopic();
    const reader = await under.open({ pollIntervalMs: POLL_MS });
    await reader.consume(topic, { group: 'g' }, new Notes().note);
    await reader.broadcast(topic, new Notes().add);

    const queries = jest.spyOn(Session.prototype, 'query');
    const started = performance.now();
    await delay(IDLE_MS);
    const names = ownOf(queries).map(({ name }) => name);
    const polls = Math.ceil((performance.now() - started) / (POLL_MS - 1)); // a timer may fire a millisecond early
    expect(new Set(names)).toEqual(new Set(['events-read']));
    expect(names.length).toBeLessThanOrEqual(2 * polls);
  });

  it('commit a group’s position at most ten times a second', async () => {
    const topic = newTopic();
    const log = await under.open();
    const notes = new Notes();
    await log.consume(topic, { group: 'g' }, notes.note);
    const queries = jest.spyOn(Session.prototype, 'query');
    const started = performance.now();

    for (const one of steps('a', 300)) await log.append(topic, [one]);
    await waitUntil(() => notes.records.length === 300);
    await delay(150);

    const writes = ownOf(queries).filter(({ name }) => name === 'events-group-commit').length;
    expect(writes).toBeGreaterThan(0);
    const tenthsOfSeconds = (performance.now() - started) / 99; // a timer may fire a millisecond early
    expect(writes).toBeLessThanOrEqual(Math.ceil(tenthsOfSeconds));
  });

  it('read what their own process appended only once', async () => {
    const topic = newTopic();
    const log = await under.open({ pollIntervalMs: NEVER_MS });
    const notes = new Notes();
    await log.consume(topic, { group: 'g' }, notes.note);
    await log.append(topic, steps('a', 1));
    await waitUntil(() => notes.records.length === 1);
    const queries = jest.spyOn(Session.prototype, 'query');

    await log.append(topic, steps('a', 1, 2));
    await waitUntil(() => notes.records.length === 2);
    await delay(200); // the server's notification comes later

    expect(ownOf(queries).filter(({ name }) => name === 'events-read')).toHaveLength(1);
  });

  it('send concurrent appends in few statements', async () => {
    const topic = newTopic();
    const log = await under.open();
    await log.append(topic, steps('a', 1));
    const queries = jest.spyOn(Session.prototype, 'query');

    await Promise.all(Array.from({ length: 200 }, (_, index) => log.append(topic, [step('a', index)])));

    expect(ownOf(queries).filter(({ name }) => name === 'events-append')).toHaveLength(1);
  });

  it('report how long a silent connection may have missed records, and deliver the missed ones first', async () => {
    const topic = newTopic();
    const [reader, writer] = await Promise.all([under.open({ heartbeatMs: 50 }), under.openElsewhere()]);
    const delivered: { number: number; interruptedForMs: number }[] = [];
    const subscription = await reader.broadcast(topic, ({ payload }) =>
      delivered.push({ number: payload!.number, interruptedForMs: subscription.interruptedForMs() }),
    );
    await writer.append(topic, steps('a', 1));
    await waitUntil(() => delivered.length === 1);
    await waitUntil(() => subscription.interruptedForMs() === 0, { what: 'the connection to be confirmed' });

    under.proxy.setSilent(true);
    await waitUntil(() => subscription.interruptedForMs() > 0, { what: 'the silence to be noticed' });
    await writer.append(topic, steps('a', 1, 2));
    const before = subscription.interruptedForMs();
    await waitUntil(() => subscription.interruptedForMs() > before + 50);
    under.proxy.setReachable(false);
    under.proxy.setSilent(false);
    under.proxy.setReachable(true);

    await waitUntil(() => subscription.interruptedForMs() === 0, { what: 'the connection to be restored' });
    expect(delivered.map(({ number }) => number)).toEqual([1, 2]);
    expect(delivered[1]!.interruptedForMs).toBeGreaterThan(50);
    await subscription.stop();
  });
});
