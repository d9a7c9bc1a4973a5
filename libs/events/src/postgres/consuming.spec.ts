import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitUntil } from '@tidings/testing/wait-until';
import { newTopic, Notes, step, steps, upTo } from '../spec-events.fixture';
import { PostgresUnderTest } from './postgres-under-test.fixture';

describe('Consuming from PostgreSQL', () => {
  let under: PostgresUnderTest;
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
  });
  afterEach(() => void child?.kill('SIGKILL'));
  afterAll(() => under.close());

  const waiting = async (): Promise<string> => (await under.waitingForLock()).join();

  it('lets another member take over when the working member’s connection breaks, and loses no record', async () => {
    const topic = newTopic();
    const [one, two, writer] = await Promise.all([
      under.open({ applicationName: 'spec-one' }),
      under.openElsewhere({ applicationName: 'spec-two' }),
      under.open(),
    ]);
    const [first, second] = [new Notes(), new Notes()];
    await one.consume(topic, { group: 'g' }, first.note);
    await writer.append(topic, steps('a', 5));
    await waitUntil(() => first.records.length === 5);
    await two.consume(topic, { group: 'g' }, second.note);
    await waitUntil(async () => (await waiting()) === 'spec-two', { what: 'the second member to stand by' });

    under.proxy.setReachable(false);
    under.proxy.setReachable(true);
    await waitUntil(async () => (await waiting()) === 'spec-one', { what: 'the first member to stand by' });
    await writer.append(topic, steps('a', 5, 6));

    await waitUntil(() => second.firstNumbers('a').includes(10));
    const firstCame = new Set([...first.firstNumbers('a'), ...second.firstNumbers('a')]);
    expect([...firstCame].sort((a, b) => a - b)).toEqual(upTo(10));
    expect(first.records).toHaveLength(5);
  });

  it('lets a member take over from another one of the same instance', async () => {
    const topic = newTopic();
    const log = await under.open();
    const [first, second] = [new Notes(), new Notes()];
    const subscription = await log.consume(topic, { group: 'g' }, first.note);
    await log.consume(topic, { group: 'g' }, second.note);
    await log.append(topic, steps('a', 3));
    await waitUntil(() => first.records.length + second.records.length === 3);

    await subscription.stop();
    await log.append(topic, steps('a', 3, 4));

    await waitUntil(() => first.records.length + second.records.length === 6);
    expect(second.names.slice(-3)).toEqual(['a4', 'a5', 'a6']);
  });

  it('aborts a handler’s signal when its group lock is lost', async () => {
    const topic = newTopic();
    const log = await under.open({ applicationName: 'spec-signalled' });
    let received: AbortSignal | undefined;
    const notes = new Notes();
    await log.consume(topic, { group: 'g' }, async (batch, signal) => {
      if (!received) {
        received = signal;
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        throw new Error('left');
      }
      await notes.note(batch);
    });
    await log.append(topic, steps('a', 1));
    await waitUntil(() => received);

    await under.terminate('spec-signalled');

    await waitUntil(() => notes.records.length === 1);
    expect(await log.deadLetters.page(topic)).toEqual([]); // its error after the abort counts against no record
  });

  it('resumes where a killed process stopped, and misses no record', async () => {
    const topic = newTopic();
    const writer = await under.open();
    child = startMember(under.database.urlOf('events'), topic.topic);
    const seen: number[] = [];
    child.on('message', (numbers: number[]) => seen.push(...numbers));
    await writer.append(topic, steps('a', 40));
    await waitUntil(() => seen.length >= 10, { what: 'the other process to have handled ten records' });
    const committed = `SELECT FROM events.groups g JOIN events.topics t ON t.id = g.topic_id
      WHERE t.name = $1 AND g.position >= (SELECT min(position) FROM events.records WHERE topic_id = t.id)`;
    await waitUntil(async () => (await under.rows(committed, [topic.topic])).length === 1, { what: 'its position to be committed' });

    child.kill('SIGKILL');
    await once(child, 'exit');
    const notes = new Notes();
    const resumed = under.open();
    await (await resumed).consume(topic, { group: 'g', maxBatch: 5 }, notes.note);

    await waitUntil(() => notes.firstNumbers('a').includes(40));
    const delivered = new Set([...seen, ...notes.firstNumbers('a')]);
    expect([...delivered].sort((a, b) => a - b)).toEqual(upTo(40));
    expect(notes.firstNumbers('a')[0]).toBeGreaterThan(1); // positions are committed while it works
  });

  it('dead-letters a record that is not JSON and continues', async () => {
    const topic = newTopic();
    const log = await under.open();
    await log.append(topic, steps('a', 1));
    await under.rows("UPDATE events.records SET payload = '{broken' WHERE topic_id = (SELECT id FROM events.topics WHERE name = $1)", [
      topic.topic,
    ]);
    await log.append(topic, [step('a', 2)]);
    const [notes, broadcasted] = [new Notes(), new Notes()];

    await log.consume(topic, { group: 'g' }, notes.note);
    await log.broadcast(topic, broadcasted.add);

    await waitUntil(() => notes.records.length === 1);
    const [letter] = await log.deadLetters.page(topic);
    const [deadLetter] = await log.deadLetters.find(topic, [letter!.reference]);
    expect(deadLetter).toMatchObject({ payload: '{broken', attempts: 0, reason: expect.stringContaining('not JSON') as string });
  });

  it('reads a backlog of large records in several batches', async () => {
    const topic = newTopic();
    const log = await under.open();
    const text = 'x'.repeat(4_000_000);
    for (const number of upTo(6)) await log.append(topic, [step('a', number, text)]);
    const sizes: number[] = [];
    const notes = new Notes();

    await log.consume(topic, { group: 'g' }, (batch) => {
      sizes.push(batch.length);
      return notes.note(batch);
    });

    await waitUntil(() => notes.records.length === 6);
    expect(notes.firstNumbers('a')).toEqual(upTo(6));
    expect(Math.max(...sizes)).toBeLessThan(6);
  });
});

/** A separate process that reports what it has handled, and never finishes the eleventh record. */
function startMember(databaseUrl: string, topic: string): ChildProcess {
  return fork(join(__dirname, 'member.fixture.cjs'), [topic], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  });
}
