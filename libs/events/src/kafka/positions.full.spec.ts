import '@tidings/testing/quiet';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { appendRun, newTopic, steps, upTo } from '../spec-events.fixture';
import type { Step } from '../spec-events.fixture';
import { KafkaLogs } from './kafka-under-test.fixture';
import { Effects } from './positions.fixture';

const GROUP = 'tidings.spec.effects';

describeWithKafka('A group with positions beside its effects', () => {
  let logs: KafkaLogs;
  let admin: Admin;
  let effects: Effects;

  beforeAll(async () => {
    logs = await KafkaLogs.onShared();
    admin = new Kafka({ brokers: logs.settings.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
  }, KAFKA_START_TIMEOUT_MS);
  beforeEach(async () => void (effects = await Effects.open()));
  afterEach(async () => {
    await logs.closeLogs();
    await effects.close();
  });
  afterAll(async () => {
    await logs.close();
    await admin.disconnect();
  });

  const join = async (topic: EventDefinition<Step>) => {
    const log = await logs.open();
    return log.consume(topic, { group: GROUP, maxBatch: 20, positions: effects.positions }, effects.handler);
  };
  const nameIn = ({ topic }: EventDefinition<Step>) => `${logs.settings.topicPrefix}${topic}`;
  const committedIn = async (topic: EventDefinition<Step>) => {
    const [answer] = await admin.fetchOffsets({ groupId: `${nameIn(topic)}.${GROUP}`, topics: [nameIn(topic)] });
    return answer!.partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
  };
  const append = async (topic: EventDefinition<Step>, run: string, count: number) => (await logs.open()).append(topic, steps(run, count));
  const untilStored = (topic: EventDefinition<Step>, count: number) =>
    waitUntil(async () => (await effects.position(topic)) === count, { what: `positions that sum up to ${count}` });

  it('stores in the database how far it is, before it commits the same in Kafka', async () => {
    const topic = newTopic();
    await append(topic, 'a', 100);
    const member = await join(topic);

    await untilStored(topic, 100);
    await member.stop();

    expect(await committedIn(topic)).toBe(100);
    expect(await effects.stored()).toHaveLength(100);
    expect(effects.again).toEqual([]);
  });

  it('handles again, without harm, what a database that went back does not have', async () => {
    const topic = newTopic();
    await append(topic, 'a', 50);
    const member = await join(topic);
    await untilStored(topic, 50);
    // A dump of the database at this time.
    await effects.sql.query('create table kept as table consumer_positions');
    await append(topic, 'b', 50);
    await untilStored(topic, 100);
    await member.stop();
    expect(await committedIn(topic)).toBe(100);

    await effects.sql.query(
      `truncate consumer_positions; insert into consumer_positions table kept; delete from effects where name like 'b%'`,
    );
    const again = await join(topic);
    await untilStored(topic, 100);

    expect(await effects.stored()).toHaveLength(100);
    expect(effects.handled).toBe(150);
    expect(effects.again).toEqual([]);
    await again.stop();
    expect(await committedIn(topic)).toBe(100);
  });

  it('handles everything again, without harm, when an operator sets the positions back', async () => {
    const topic = newTopic();
    await append(topic, 'a', 60);
    await (await untilHandled(topic, 60)).stop();

    await effects.sql.query('update consumer_positions set next_offset = 0');
    await (await untilHandled(topic, 60)).stop();

    expect(effects.again.toSorted()).toEqual((await effects.stored()).toSorted());
    expect(effects.handled).toBe(120);
  });

  it('notices a running database that went back, with nothing new in the topic', async () => {
    const topic = newTopic();
    await append(topic, 'a', 30);
    const member = await join(topic);
    await untilStored(topic, 30);

    await effects.sql.query('update consumer_positions set next_offset = next_offset - 1 where next_offset > 0; truncate effects');

    await waitUntil(async () => (await effects.stored()).length > 0, { what: 'effects of the last records' });
    await untilStored(topic, 30);
    await member.stop();
  });

  it('reads a topic from its beginning that was deleted and created anew, shorter or longer than before', async () => {
    const topic = newTopic();
    for (const [run, count] of [
      ['a', 40],
      ['b', 10],
      ['c', 80],
    ] as const) {
      await append(topic, run, count);
      const member = await join(topic);
      await waitUntil(async () => (await effects.stored()).filter((name) => name.startsWith(run)).length === count, { what: run });
      await untilStored(topic, count);
      await member.stop();
      await logs.closeLogs();
      await admin.deleteTopics({ topics: [nameIn(topic)] });
      await waitUntil(async () => !(await admin.listTopics()).includes(nameIn(topic)), { what: 'the end of the topic' });
    }
    expect(effects.again).toEqual([]);
  });

  it('moves with its members: each continues where the other was', async () => {
    const topic = newTopic();
    const first = await join(topic);
    const writer = await logs.open();
    const running = Promise.all(upTo(6).map((run) => appendRun(writer, topic, `r${run}-`, 60)));
    const second = await join(topic);
    await running;
    await untilStored(topic, 360);
    await first.stop();
    await append(topic, 'late', 40);
    await untilStored(topic, 400);
    await second.stop();

    expect(await effects.stored()).toHaveLength(400);
  });

  async function untilHandled(topic: EventDefinition<Step>, count: number) {
    const before = effects.handled;
    const member = await join(topic);
    await waitUntil(() => effects.handled === before + count, { what: `${count} handled records` });
    await untilStored(topic, count);
    return member;
  }
});
