import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { newTopic, Notes, step, steps } from '../spec-events.fixture';
import { PostgresUnderTest } from './postgres-under-test.fixture';
import { Session } from './session';

/** Several times any interval of the log, heartbeats included. */
const IDLE_MS = 2_000;
const NEVER_MS = 600_000;
const LOOK_MS = 300;

/** Of a client of pg, or of a session that has one. */
function databaseOf(asking: unknown): string | undefined {
  const { client = asking } = asking as { client?: unknown };
  return (client as Client & { database?: string }).database;
}

describe('Readers of the log in PostgreSQL', () => {
  let under: PostgresUnderTest;
  /** The questions to the database of this suite: services that other suites share ask theirs meanwhile. */
  const ownOf = <Question>({ mock }: { mock: { calls: [Question, ...unknown[]][]; contexts: unknown[] } }): Question[] =>
    mock.calls.flatMap(([question], index) =>
      databaseOf(mock.contexts[index]) === new URL(under.database.adminUrl).pathname.slice(1) ? [question] : [],
    );

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await under.closeLogs();
  });
  afterAll(() => under.close());

  it.each(['in this process', 'in another process'])('are woken by a commit %s, and ask nothing while nothing happens', async (where) => {
    const topic = newTopic();
    const writer = await under.open();
    const options = { lookMsMax: NEVER_MS };
    const reader = where === 'in this process' ? await under.open(options) : await under.openElsewhere(options);
    const [notes, told] = [new Notes(), new Notes()];
    await reader.consume(topic, { group: 'g' }, notes.note);
    await reader.broadcast(topic, told.tell);
    await writer.append(topic, steps('a', 1));
    await waitUntil(() => notes.records.length === 1 && told.records.length === 1);

    const queries = jest.spyOn(Client.prototype, 'query');
    const asked = async (): Promise<unknown[]> => {
      queries.mockClear();
      await delay(IDLE_MS);
      return ownOf(queries as never);
    };
    // The place is still written, sooner or later; then comes nothing, and not for a moment only.
    await waitUntil(async () => (await asked()).length === 0, { what: `${IDLE_MS} ms without a question` });
    expect(await asked()).toEqual([]);

    // Nobody polls, so that it is the commit that wakes them.
    await writer.append(topic, steps('a', 1, 2));
    await waitUntil(() => notes.records.length === 2 && told.records.length === 2, { intervalMs: 1 });
  });

  it('look by themselves, no more often than they were told to', async () => {
    const topic = newTopic();
    const reader = await under.open({ lookMsMax: LOOK_MS });
    await reader.consume(topic, { group: 'g' }, new Notes().note);
    await reader.broadcast(topic, new Notes().tell);

    const queries = jest.spyOn(Session.prototype, 'query');
    const started = performance.now();
    await delay(IDLE_MS);
    const names = ownOf(queries).map(({ name }) => name);
    const looks = Math.ceil((performance.now() - started) / (LOOK_MS - 1)); // a timer may come a millisecond early
    expect(new Set(names)).toEqual(new Set(['events-read']));
    expect(names.length).toBeLessThanOrEqual(2 * looks);
  });

  it('write a group’s place at most ten times a second', async () => {
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
    const tenthsOfSeconds = (performance.now() - started) / 99; // a timer may come a millisecond early
    expect(writes).toBeLessThanOrEqual(Math.ceil(tenthsOfSeconds));
  });

  it('do not ask twice for what was appended in their process', async () => {
    const topic = newTopic();
    const log = await under.open();
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

  it('report how long they may have missed something when the line falls silent, and first hear what they missed', async () => {
    const topic = newTopic();
    const [reader, writer] = await Promise.all([under.open({ heartbeatMs: 50 }), under.openElsewhere()]);
    const told: { number: number; interruptedForMs: number }[] = [];
    const subscription = await reader.broadcast(topic, ({ payload }) =>
      told.push({ number: payload!.number, interruptedForMs: subscription.interruptedForMs() }),
    );
    await writer.append(topic, steps('a', 1));
    await waitUntil(() => told.length === 1);
    await waitUntil(() => subscription.interruptedForMs() === 0, { what: 'the line to be known to be good' });

    under.proxy.setSilent(true);
    await waitUntil(() => subscription.interruptedForMs() > 0, { what: 'the silence to be noticed' });
    await writer.append(topic, steps('a', 1, 2));
    const before = subscription.interruptedForMs();
    await waitUntil(() => subscription.interruptedForMs() > before + 50);
    under.proxy.setReachable(false);
    under.proxy.setSilent(false);
    under.proxy.setReachable(true);

    await waitUntil(() => subscription.interruptedForMs() === 0, { what: 'the line to be back' });
    expect(told.map(({ number }) => number)).toEqual([1, 2]);
    expect(told[1]!.interruptedForMs).toBeGreaterThan(50);
    await subscription.stop();
  });
});
