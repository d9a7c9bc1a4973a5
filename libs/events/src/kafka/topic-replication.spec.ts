import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { topicSettings, type TopicSettings } from '@tidings/kafka/topic-settings';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { type Admin, ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { newTopic, steps } from '../spec-events.fixture';
import { KafkaEventLog } from './kafka-event-log';
import { KafkaLogs } from './kafka-under-test.fixture';

describeWithKafka('The replicas of topics on one broker', () => {
  let logs: KafkaLogs;
  let admin: Admin;

  beforeAll(async () => {
    logs = await KafkaLogs.onShared();
    admin = new Kafka({ brokers: logs.settings.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    await logs.close();
    await admin.disconnect();
  });

  const openWith = (topics: Partial<TopicSettings>): Promise<KafkaEventLog> => logs.open({ topics: topicSettings(topics) });
  const nameOf = ({ topic }: { topic: string }): string => `${logs.settings.topicPrefix}${topic}`;
  const resourceOf = (name: string) => ({ type: ConfigResourceTypes.TOPIC, name });
  const settingsOf = async (name: string): Promise<Record<string, string>> => {
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resourceOf(name)] });
    return Object.fromEntries(resources[0]!.configEntries.map(({ configName, configValue }) => [configName, configValue]));
  };
  /** Replaces all settings of a topic; resolves when the broker has them. */
  const change = async (name: string, settings: Record<string, string>): Promise<void> => {
    const entries = Object.entries({ 'message.timestamp.type': 'LogAppendTime', ...settings });
    const configEntries = entries.map(([key, value]) => ({ name: key, value }));
    await admin.alterConfigs({ validateOnly: false, resources: [{ ...resourceOf(name), configEntries }] });
    await waitUntil(async () => {
      const found = await settingsOf(name);
      return entries.every(([key, value]) => found[key] === value);
    });
  };
  const created = async (): Promise<ReturnType<typeof newTopic>> => {
    const topic = newTopic();
    await (await openWith({ replication: 1 })).checkTopics([topic]);
    return topic;
  };

  it('are not more than the brokers: the refusal names the variable and the number of brokers', async () => {
    await expect((await openWith({ replication: 3 })).append(newTopic(), steps('a', 1))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /has 1 broker\(s\), fewer than TIDINGS_KAFKA_REPLICATION=3: topic .* cannot be created.*set TIDINGS_KAFKA_REPLICATION=1/,
      ) as string,
    });
  });

  it('are refused in an existing topic with fewer, with the variable, the topic, and both numbers', async () => {
    const topic = await created();

    await expect((await openWith({ replication: 3 })).append(topic, steps('a', 1))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        `Topic ${nameOf(topic)} has 1 replica.s., and TIDINGS_KAFKA_REPLICATION=3 requires 3.*TIDINGS_KAFKA_TOPIC_CHECK=warn`,
      ) as string,
    });
  });

  it('are named in a warning instead when that is set', async () => {
    const topic = await created();
    const warn = jest.spyOn(Logger.prototype, 'warn');

    await (await openWith({ replication: 3, check: 'warn' })).append(topic, steps('a', 1));

    const lines = warn.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(nameOf(topic)));
    warn.mockRestore();
    expect(lines).toEqual([
      expect.stringContaining('TIDINGS_KAFKA_REPLICATION=3 requires 3'),
      expect.stringContaining('has min.insync.replicas=1, and TIDINGS_KAFKA_MIN_ISR=2 (of TIDINGS_KAFKA_REPLICATION=3) requires 2'),
    ]);
  });

  it('that must be in sync are refused in an existing topic with fewer', async () => {
    const topic = await created();

    await expect((await openWith({ replication: 1, minInsyncReplicas: 2 })).checkTopics([topic])).rejects.toThrow(
      `Topic ${nameOf(topic)} has min.insync.replicas=1, and TIDINGS_KAFKA_MIN_ISR=2 (of TIDINGS_KAFKA_REPLICATION=1) requires 2`,
    );
  });

  it('that must be in sync and are more than the topic has are refused, whatever is set', async () => {
    const topic = await created();
    await change(nameOf(topic), { 'min.insync.replicas': '2' });

    await expect((await openWith({ replication: 1, check: 'warn' })).checkTopics([topic])).rejects.toThrow('nothing can be appended');
  });

  it('may be left to the brokers, and other settings too', async () => {
    const topic = newTopic();
    const leftToBrokers = ['segment.ms', 'max.message.bytes'] as const;

    await (await openWith({ replication: undefined, leftToBrokers })).append(topic, steps('a', 1));

    const { topics } = await admin.fetchTopicMetadata({ topics: [nameOf(topic)] });
    expect(topics[0]!.partitions[0]!.replicas).toHaveLength(1);
    expect(await settingsOf(nameOf(topic))).toMatchObject({
      'min.insync.replicas': '1',
      'segment.ms': '604800000',
      'max.message.bytes': '1048588',
      'message.timestamp.type': 'LogAppendTime',
    });
  });

  it('are checked again while the process runs, until the topic is corrected', async () => {
    const topic = newTopic();
    const settings = { ...logs.settings, topics: topicSettings({ replication: 1 }) };
    const log = await KafkaEventLog.connect({ settings, clientId: 'spec', topicCheckIntervalMs: 50 });
    try {
      await log.checkTopics([topic]);
      await change(nameOf(topic), { 'min.insync.replicas': '2' });
      await waitUntil(() => log.topicFault()?.includes(`${nameOf(topic)} has min.insync.replicas=2`));

      await change(nameOf(topic), { 'min.insync.replicas': '1' });

      await waitUntil(() => log.topicFault() === undefined);
    } finally {
      await log.close();
    }
  });

  it('of a topic with small records are a matter of a setting: no warning, and larger records are refused', async () => {
    const topic = newTopic();
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const settings = { replication: 1, recordBytesMax: 100_000 };

    await (await openWith(settings)).checkTopics([topic]);
    const log = await openWith(settings);
    await log.append(topic, steps('a', 1));

    const lines = warn.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(nameOf(topic)));
    warn.mockRestore();
    expect(lines).toEqual([]);
    expect(await settingsOf(nameOf(topic))).toMatchObject({ 'max.message.bytes': '100000' });
  });
});
