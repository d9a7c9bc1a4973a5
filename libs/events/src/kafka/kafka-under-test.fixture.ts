import '@tidings/testing/quiet';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { sharedTestKafka, startTestKafka, TEST_SIGNING, TEST_TOPICS, type TestKafkaOptions } from '@tidings/testing/kafka';
import { randomBytes } from 'node:crypto';
import { waitUntil } from '@tidings/testing/wait-until';
import type { LogUnderTest } from '../event-log.contract';
import type { InterruptibleLog } from '../log-unavailable.contract';
import { newTopic } from '../spec-events.fixture';
import { KafkaEventLog } from './kafka-event-log';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { topicSettings } from '@tidings/kafka/topic-settings';

/** Short, because each test waits for its instances to stop. */
const FETCH_WAIT_MS = 20;

const topicPrefix = (): string => `${randomBytes(3).toString('hex')}.`;

/** Instances of the log on the Kafka that suites share. */
export class KafkaLogs implements LogUnderTest {
  private readonly logs: KafkaEventLog[] = [];

  protected constructor(
    readonly settings: KafkaSettings,
    private readonly fetchWaitMs?: number,
  ) {}

  static async onShared(): Promise<KafkaLogs> {
    const { brokers } = await sharedTestKafka();
    const logs = new KafkaLogs({ brokers, topicPrefix: topicPrefix(), topics: TEST_TOPICS, signing: TEST_SIGNING }, FETCH_WAIT_MS);
    // A broker that has just started is slow to create its first topic.
    await waitUntil(async () => (await logs.open()).checkTopics([newTopic()]).then(() => true), { what: 'the first topic' });
    await logs.closeLogs();
    return logs;
  }

  async open(settings: Partial<KafkaSettings> = {}): Promise<KafkaEventLog> {
    const log = await KafkaEventLog.connect({
      settings: { ...this.settings, ...settings },
      clientId: 'spec',
      fetchWaitMs: this.fetchWaitMs,
    });
    this.logs.push(log);
    return log;
  }

  async closeLogs(): Promise<void> {
    await Promise.all(this.logs.splice(0).map((log) => log.close()));
  }

  close(): Promise<void> {
    return this.closeLogs();
  }
}

/** A Kafka of the suite's own, and instances of the log on it. */
export class KafkaUnderTest extends KafkaLogs implements InterruptibleLog {
  private constructor(
    readonly cluster: KafkaCluster,
    settings: KafkaSettings,
  ) {
    super(settings);
  }

  static async start(options?: TestKafkaOptions, settings: Partial<KafkaSettings> = {}): Promise<KafkaUnderTest> {
    const cluster = await startTestKafka(options);
    const { brokers } = cluster;
    const topics = topicSettings({ replication: brokers.length });
    return new KafkaUnderTest(cluster, { brokers, topicPrefix: topicPrefix(), topics, signing: TEST_SIGNING, ...settings });
  }

  async interrupt(): Promise<() => Promise<void>> {
    // A clean stop: after a kill the broker would first recover the logs of all earlier tests.
    await this.cluster.stopBroker(1);
    return () => this.cluster.startBroker(1);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.cluster.remove();
  }
}
