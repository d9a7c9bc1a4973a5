import '@tidings/testing/quiet';
import { createKafkaClient } from '@tidings/kafka/client';
import { awaitTopicLeaders } from '@tidings/kafka/await-topic-leaders';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, TEST_SIGNING } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { type Admin, ConfigResourceTypes } from 'kafkajs';
import { loadConfiguration } from './configuration';
import { joinKafka } from './connect-kafka';
import { HealthRegistry } from './health';
import { retryUntilAvailable } from './retry-until-available';

const PREFIX = `join-${process.pid}.`;
const REQUESTS = { topic: 'requests', compacted: false, retentionMs: null };

describe('A process before it joins Kafka', () => {
  const warningsFor = async (environment: NodeJS.ProcessEnv): Promise<string[]> => {
    const warnings: string[] = [];
    const joined = joinKafka({
      name: 'gateway',
      configuration: loadConfiguration('gateway', { TIDINGS_RPC_SECRET: TEST_SIGNING.secrets.join(), ...environment }),
      health: new HealthRegistry(),
      logger: { warn: (line) => void warnings.push(String(line)) },
      waitFor: () => Promise.reject(new Error('not now')),
      onStop: () => undefined,
    });
    await expect(joined).rejects.toThrow('not now');
    return warnings;
  };
  const sasl = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'one', KAFKA_SASL_PASSWORD: 'two' };

  it('warns once when the brokers have neither TLS nor SASL, unless all are on this machine', async () => {
    expect(await warningsFor({ KAFKA_BROKERS: '127.0.0.1:9092,kafka.internal:9092' })).toEqual([
      expect.stringContaining('neither TLS nor SASL'),
    ]);
    expect(await warningsFor({ KAFKA_BROKERS: 'kafka.internal:9092', ...sasl })).toEqual([]);
    expect(await warningsFor({ KAFKA_BROKERS: 'kafka.internal:9092', KAFKA_TLS_CA: __filename })).toEqual([]);
    expect(await warningsFor({ KAFKA_BROKERS: 'localhost:9092,127.0.0.1:9093,[::1]:9094' })).toEqual([]);
  });

  it('warns when it accepts records without a signature', async () => {
    expect(await warningsFor({ KAFKA_BROKERS: 'localhost:9092', TIDINGS_RPC_UNSIGNED: 'accept' })).toEqual([
      expect.stringContaining('TIDINGS_RPC_UNSIGNED=accept'),
    ]);
  });
});

describeWithKafka('A process that joins Kafka', () => {
  let admin: Admin;
  let environment: NodeJS.ProcessEnv;
  const stops: (() => Promise<void> | void)[] = [];

  beforeAll(async () => {
    const { brokers } = await sharedTestKafka();
    environment = {
      KAFKA_BROKERS: brokers.join(),
      KAFKA_TOPIC_PREFIX: PREFIX,
      TIDINGS_KAFKA_REPLICATION: '1',
      TIDINGS_RPC_SECRET: TEST_SIGNING.secrets.join(),
    };
    admin = createKafkaClient({ brokers }, 'spec').admin();
    await admin.connect();
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    for (const stop of stops) await stop();
    await admin.disconnect();
  });

  it('waits while a topic is misconfigured, logs once what to change, and continues after the change', async () => {
    const topic = `${PREFIX}${REQUESTS.topic}`;
    const configEntries = [
      { name: 'message.timestamp.type', value: 'LogAppendTime' },
      { name: 'cleanup.policy', value: 'compact' },
    ];
    await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: 1, configEntries }] });
    await awaitTopicLeaders(admin, [topic]);
    const warnings: string[] = [];
    const logger = { log: () => undefined, error: () => undefined, warn: (line: string) => void warnings.push(line) };
    const ended = new AbortController();
    let waiting = '';
    const options = { signal: ended.signal, logger, onWait: (state: string) => (waiting = state) };

    const joined = joinKafka(
      {
        name: 'gateway',
        configuration: loadConfiguration('gateway', environment),
        health: new HealthRegistry(),
        logger: { warn: () => undefined },
        waitFor: (what, attempt) => retryUntilAvailable(what, attempt, options),
        onStop: (_, stop) => void stops.unshift(stop),
      },
      [REQUESTS],
    );
    joined.catch(() => undefined); // awaited below
    await waitUntil(() => /requests has cleanup\.policy=compact: compaction would remove.*Change its configuration/.test(waiting));
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: [configEntries[0]!] }],
    });

    expect(await (await joined).events.ready()).toBe(true);
    expect(warnings.filter((line) => line.includes('cleanup.policy'))).toHaveLength(1);
  });
});
