import '@tidings/testing/quiet';
import { createKafkaClient } from '@tidings/kafka/client';
import { KAFKA_START_TIMEOUT_MS, describeWithKafka, TEST_SIGNING } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { type KafkaMessage, type Producer, Partitioners } from 'kafkajs';
import { nameOf, newTopic, Notes, redrive, step, type Step, steps } from '../spec-events.fixture';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { waitingLine } from './group-source';
import { KafkaLogs } from './kafka-under-test.fixture';
import { readToEnd } from './read-to-end';
import { KafkaAdmin } from '@tidings/kafka/admin';

const OLD = 'an earlier secret of at least 32 characters';
const NEW = TEST_SIGNING.secrets[0]!;

describeWithKafka('A record of an event', () => {
  let logs: KafkaLogs;
  let producer: Producer;

  beforeAll(async () => {
    logs = await KafkaLogs.onShared();
    producer = createKafkaClient(logs.settings, 'foreign').producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    await producer.disconnect();
    await logs.close();
  });

  const open = (secrets = [NEW], acceptsUnsigned = false) => logs.open({ signing: { secrets, acceptsUnsigned } });
  const nameIn = ({ topic }: { topic: string }): string => `${logs.settings.topicPrefix}${topic}`;
  /** Appends records as another client of the cluster. */
  const produce = (topic: EventDefinition<Step>, ...messages: Parameters<Producer['send']>[0]['messages']) =>
    producer.send({ topic: nameIn(topic), messages });
  const forged = { key: 'w:a', value: JSON.stringify(step('a', 7).payload), headers: { 'x-own': 'ü' } };

  async function recordsOf(topic: EventDefinition<Step>): Promise<KafkaMessage[]> {
    const kafka = createKafkaClient(logs.settings, 'spec');
    const admin = new KafkaAdmin(kafka);
    const messages: KafkaMessage[] = [];
    await readToEnd({ kafka, admin, clientId: 'spec' }, nameIn(topic), (message) => void messages.push(message));
    await admin.close();
    return messages;
  }

  it('of another client becomes a dead letter, which no handler sees, and is put back as it was', async () => {
    const topic = newTopic();
    const log = await open();
    const notes = new Notes();
    const reported: string[] = [];
    await log.append(topic, steps('a', 1));
    const [own] = await recordsOf(topic);
    const changed = { key: own!.key, value: JSON.stringify(step('a', 8).payload), headers: own!.headers };
    await produce(topic, forged, changed);
    await log.append(topic, steps('a', 1, 2));

    await log.consume(topic, { group: 'g', onDead: ({ id }) => Promise.resolve(void reported.push(id)) }, notes.note);

    await waitUntil(() => notes.names.join() === 'a1,a2');
    const dead = await waitUntil(async () => {
      const found = await log.deadLetters.page(topic);
      return found.length === 2 ? found : undefined;
    });
    expect(dead.map(({ reason, attempts }) => ({ reason, attempts }))).toEqual([
      { reason: 'unauthenticated: unsigned', attempts: 0 },
      { reason: 'unauthenticated: wrong mac', attempts: 0 },
    ]);
    const references = dead.map(({ reference }) => reference);
    const stored = await log.deadLetters.find(topic, references);
    expect(stored.map(({ payload, isVerified }) => [payload, isVerified])).toContainEqual([forged.value, false]);
    expect(reported).toEqual([]);

    await redrive(log, topic, references);

    const records = await waitUntil(async () => {
      const found = await recordsOf(topic);
      return found.length === 6 ? found : undefined;
    });
    const parts = ({ key, value, headers }: KafkaMessage): unknown => ({ key, value, headers });
    expect(records.slice(4).map(parts)).toEqual(records.slice(1, 3).map(parts));
    // They come back, as other dead letters.
    await waitUntil(async () => {
      const found = await log.deadLetters.page(topic);
      return found.length === 2 && found.every(({ reference }) => !references.includes(reference));
    });
    expect(notes.names.join()).toBe('a1,a2');
  });

  it('of ours is put back with its signature', async () => {
    const topic = newTopic();
    const log = await open();
    const handled: string[] = [];
    let fails = true;
    await log.append(topic, [{ ...step('a', 1), sequence: '17' }]);
    await log.consume(topic, { group: 'g' }, async ([record]) => {
      if (fails) throw new Error('no');
      handled.push(nameOf(record!));
    });
    const [dead] = await waitUntil(async () => {
      const found = await log.deadLetters.page(topic);
      return found.length === 1 ? found : undefined;
    });
    fails = false;

    await redrive(log, topic, [dead!.reference]);

    await waitUntil(() => handled.join() === 'a1');
    const [one, other] = await recordsOf(topic);
    expect({ ...other!.headers }).toEqual({ ...one!.headers });
  });

  it('without a signature is handled while unsigned records are accepted', async () => {
    const topic = newTopic();
    const log = await open([NEW], true);
    const notes = new Notes();
    await log.append(topic, steps('a', 1));
    await produce(topic, forged);

    await log.consume(topic, { group: 'g' }, notes.note);

    await waitUntil(() => notes.names.join() === 'a1,a7');
  });

  it('with an earlier secret is handled while that is configured', async () => {
    const topic = newTopic();
    const notes = new Notes();
    await (await open([OLD])).append(topic, steps('a', 1));

    await (await open([NEW, OLD])).consume(topic, { group: 'g' }, notes.note);

    await waitUntil(() => notes.names.join() === 'a1');
  });

  it('with an unknown key stops its partition, until an operator goes past it', async () => {
    const topic = newTopic();
    const [before, log] = [await open([OLD]), await open()];
    const notes = new Notes();
    await log.append(topic, steps('a', 1));
    await before.append(topic, [step('a', 2)]);
    await log.append(topic, [step('a', 3), ...steps('b', 1), ...steps('c', 1), ...steps('d', 1)]);

    await log.consume(topic, { group: 'g' }, notes.note);

    const [waiting, ...others] = await waitUntil(() => (log.waiting().length > 0 ? log.waiting() : undefined));
    expect(others).toEqual([]);
    expect(waiting).toMatchObject({ topic: nameIn(topic), offset: 1n, keyId: expect.stringMatching(/^[0-9a-f]{8}$/) as string });
    expect(waitingLine(waiting!)).toMatch(`go past it with "tidings events skip-unverified ${topic.topic}"`);
    await waitUntil(() => notes.names.length >= 2);
    await log.append(topic, [step('a', 4)]);

    await log.skipUnverified(topic.topic);

    await waitUntil(() => ['a3', 'a4', 'b1', 'c1', 'd1'].every((name) => notes.names.includes(name)), { timeoutMs: 30_000 });
    expect(notes.firstNumbers('a')).toEqual([1, 3, 4]);
    expect(log.waiting()).toEqual([]);
    expect(await log.deadLetters.page(topic)).toMatchObject([{ reason: 'unauthenticated: unknown key' }]);

    // A later record is not meant by that.
    await before.append(topic, [step('a', 5)]);
    await waitUntil(() => log.waiting().length === 1);
  });

  it('of another client is not broadcast', async () => {
    const topic = newTopic();
    const log = await open();
    const notes = new Notes();
    await log.broadcast(topic, notes.add);

    await produce(topic, forged);
    await log.append(topic, steps('a', 1));

    await waitUntil(() => notes.names.join() === 'a1');
  });

  it('with an unknown key is not broadcast, and its readers learn that they missed one', async () => {
    const topic = newTopic();
    const [before, log] = [await open([OLD]), await open()];
    const notes = new Notes();
    let missed = 0;
    await log.broadcast(topic, notes.add, () => void (missed += 1));

    await produce(topic, forged);
    await log.append(topic, steps('a', 1));
    await waitUntil(() => notes.names.join() === 'a1');
    expect(missed).toBe(0);

    await before.append(topic, [step('a', 2)]);
    await waitUntil(() => missed > 0);
    await log.append(topic, [step('a', 3)]);
    await waitUntil(() => notes.names.join() === 'a1,a3');
  });
});
