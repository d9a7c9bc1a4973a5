import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { type Admin, ConfigResourceTypes, Kafka, type KafkaMessage, logLevel, Partitioners } from 'kafkajs';
import { newTopic, Notes, step, steps } from '../spec-events.fixture';
import { KafkaLogs } from './kafka-under-test.fixture';

const DAY_MS = 24 * 3_600_000;

describeWithKafka('Topics', () => {
  let logs: KafkaLogs;
  let kafka: Kafka;
  let admin: Admin;

  beforeAll(async () => {
    logs = await KafkaLogs.onShared();
    kafka = new Kafka({ brokers: logs.settings.brokers, logLevel: logLevel.NOTHING });
    admin = kafka.admin();
    await admin.connect();
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    await logs.close();
    await admin.disconnect();
  });

  const open = () => logs.open();
  const nameOf = ({ topic }: { topic: string }): string => `${logs.settings.topicPrefix}${topic}`;
  const create = async (name: string, settings: Record<string, string>): Promise<void> => {
    await admin.createTopics({
      waitForLeaders: false,
      topics: [
        {
          topic: name,
          numPartitions: 3,
          configEntries: Object.entries({ 'message.timestamp.type': 'LogAppendTime', ...settings }).map(([key, value]) => ({
            name: key,
            value,
          })),
        },
      ],
    });
    await waitUntil(() => admin.fetchTopicMetadata({ topics: [name] }));
  };
  const settingsOf = async (name: string): Promise<Record<string, string>> => {
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: ConfigResourceTypes.TOPIC, name }] });
    return Object.fromEntries(resources[0]!.configEntries.map(({ configName, configValue }) => [configName, configValue]));
  };

  it('are created as defined, however many instances need them at once', async () => {
    const [plain, compacted] = [newTopic({ retentionMs: 3_600_000 }), newTopic({ compacted: true, retentionMs: null })];
    const many = await Promise.all([open(), open(), open(), open()]);

    await Promise.all(many.flatMap((log) => [plain, compacted].map((topic) => log.append(topic, steps('a', 1), { deadlineMs: 60_000 }))));

    const { topics } = await admin.fetchTopicMetadata({ topics: [nameOf(plain), nameOf(compacted)] });
    expect(topics.map(({ partitions }) => partitions.length)).toEqual([12, 12]);
    expect(await settingsOf(nameOf(plain))).toMatchObject({
      'cleanup.policy': 'delete',
      'retention.ms': '3600000',
      'segment.ms': '3600000',
    });
    expect(await settingsOf(nameOf(compacted))).toMatchObject({
      'cleanup.policy': 'compact',
      'retention.ms': '-1',
      'max.compaction.lag.ms': String(DAY_MS),
    });
  });

  it('of 14 days close their segments daily, so that a record stays 15 days at most', async () => {
    const topic = newTopic();

    await (await open()).append(topic, steps('a', 1));

    expect(await settingsOf(nameOf(topic))).toMatchObject({ 'retention.ms': String(14 * DAY_MS), 'segment.ms': String(DAY_MS) });
  });

  it('that exist and would retain erased data longer are named in a warning', async () => {
    const [plain, compacted] = [newTopic(), newTopic({ compacted: true })];
    await create(nameOf(plain), { 'segment.ms': '604800000' });
    await create(nameOf(compacted), { 'cleanup.policy': 'compact' });
    const warn = jest.spyOn(Logger.prototype, 'warn');

    await (await open()).checkTopics([plain, compacted]);

    const lines = warn.mock.calls.map(([line]) => String(line)).join('\n');
    warn.mockRestore();
    expect(lines).toContain(`${nameOf(plain)} has segment.ms=604800000`);
    expect(lines).toContain(`${nameOf(compacted)} has max.compaction.lag.ms=`);
  });

  it('are logged as created only by the instance that created them', async () => {
    const logged = jest.spyOn(Logger.prototype, 'log');
    const many = await Promise.all([open(), open(), open(), open()]);

    // When the broker answers a creation too late, no instance logs it.
    const counts = await waitUntil(async () => {
      const topics = [newTopic(), newTopic()];
      await Promise.all(many.map((log) => log.checkTopics(topics)));
      const lines = logged.mock.calls.map(([line]) => String(line));
      const found = topics.map((topic) => lines.filter((line) => line.includes(nameOf(topic))).length);
      return Math.max(...found) > 0 ? found : undefined;
    });
    logged.mockRestore();
    expect(Math.max(...counts)).toBe(1);
  });

  it('of dead letters are compacted, so that a dead letter can be removed, and retained as long as the others', async () => {
    const topic = newTopic({ retentionMs: 3_600_000 });

    const log = await open();
    await log.append(topic, steps('a', 1));
    await log.consume(topic, { group: 'g' }, () => Promise.reject(new Error('rejected')));
    await waitUntil(async () => (await log.deadLetters.count(topic)) === 1);

    expect(await settingsOf(`${nameOf(topic)}.dead`)).toMatchObject({ 'cleanup.policy': 'compact,delete', 'retention.ms': '3600000' });
  });

  it('that exist are used unchanged', async () => {
    const topic = newTopic();
    await create(nameOf(topic), {});
    const log = await open();
    const notes = new Notes();

    await log.append(topic, steps('a', 3));

    await log.consume(topic, { group: 'g' }, notes.note);
    await waitUntil(() => notes.names.join() === 'a1,a2,a3');
    const { topics } = await admin.fetchTopicMetadata({ topics: [nameOf(topic)] });
    expect(topics[0]!.partitions).toHaveLength(3);
  });

  it('that exist and would lose records are refused, with the setting to change', async () => {
    const topic = newTopic();
    await create(nameOf(topic), { 'cleanup.policy': 'compact' });

    await expect((await open()).append(topic, steps('a', 1))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /has cleanup\.policy=compact: compaction would remove unread records.*Change its configuration/,
      ) as string,
    });
  });

  it('limited to small records refuse only the large record', async () => {
    const topic = newTopic();
    await create(nameOf(topic), { 'max.message.bytes': '100000' });
    const log = await open();
    const texts = ['small', 'x'.repeat(60_000), 'y'.repeat(200_000), 'z'.repeat(60_000), 'small'];

    const outcomes = await Promise.allSettled(texts.map((text, index) => log.append(topic, [step('a', index + 1, text)])));

    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'stored'))).toEqual([
      'stored',
      'stored',
      'payload_too_large',
      'stored',
      'stored',
    ]);
    const notes = new Notes();
    await log.consume(topic, { group: 'g' }, notes.note);
    await waitUntil(() => notes.firstNumbers('a').length === 4);
    expect(notes.firstNumbers('a')).toEqual([1, 2, 4, 5]);
  });

  it('contain records any client can read: JSON, CloudEvents headers, the partition of the default hash', async () => {
    const topic = newTopic({ compacted: true });
    const log = await open();
    const events = steps('a', 2).map((event, index) => ({ ...event, sequence: String(index + 7) }));
    const consumer = kafka.consumer({ groupId: `${logs.settings.topicPrefix}plain`, maxWaitTimeInMs: 100 });
    const found: { partition: number; message: KafkaMessage }[] = [];
    await log.append(topic, [...events, { id: 'deleted', key: 'w:a', payload: null }]);
    await consumer.connect();
    await consumer.subscribe({ topic: nameOf(topic), fromBeginning: true });
    await consumer.run({ eachMessage: ({ partition, message }) => Promise.resolve(void found.push({ partition, message })) });
    await waitUntil(() => found.length === 3);
    await consumer.disconnect();

    const { topics } = await admin.fetchTopicMetadata({ topics: [nameOf(topic)] });
    const partition = Partitioners.DefaultPartitioner()({
      topic: nameOf(topic),
      partitionMetadata: topics[0]!.partitions,
      message: { key: 'w:a', value: null },
    });
    expect(found.map((each) => each.partition)).toEqual([partition, partition, partition]);
    expect(found.map(({ message }) => message.key!.toString())).toEqual(['w:a', 'w:a', 'w:a']);
    expect(found.map(({ message }) => message.value && (JSON.parse(message.value.toString()) as unknown))).toEqual([
      events[0]!.payload,
      events[1]!.payload,
      null,
    ]);
    const headers = Object.fromEntries(Object.entries(found[0]!.message.headers!).map(([name, value]) => [name, String(value)]));
    expect(headers).toEqual({
      ce_specversion: '1.0',
      ce_id: events[0]!.id,
      ce_type: topic.topic,
      ce_source: '/tidings/spec',
      ce_time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      ce_sequence: '0000000000000000007',
      'content-type': 'application/json',
      'tidings-signature': expect.stringMatching(/^[0-9a-f]{8}\.[\w-]{43}$/) as string,
    });
  });
});
