import '@tidings/testing/quiet';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { startTestKafka, type TestKafkaOptions } from '@tidings/testing/kafka';
import { randomBytes } from 'node:crypto';
import type { LogUnderTest } from '../event-log.contract';
import { KafkaEventLog } from './kafka-event-log';
import type { KafkaSettings } from './settings';

/** A Kafka of one's own, and instances of the log on it. */
export class KafkaUnderTest implements LogUnderTest {
  private readonly logs: KafkaEventLog[] = [];

  private constructor(
    readonly cluster: KafkaCluster,
    readonly settings: KafkaSettings,
  ) {}

  static async start(options?: TestKafkaOptions, settings: Partial<KafkaSettings> = {}): Promise<KafkaUnderTest> {
    const cluster = await startTestKafka(options);
    return new KafkaUnderTest(cluster, { brokers: cluster.brokers, topicPrefix: `${randomBytes(3).toString('hex')}.`, ...settings });
  }

  async open(settings: Partial<KafkaSettings> = {}): Promise<KafkaEventLog> {
    const log = await KafkaEventLog.connect({ settings: { ...this.settings, ...settings }, clientId: 'spec' });
    this.logs.push(log);
    return log;
  }

  async takeAway(): Promise<() => Promise<void>> {
    // In order: after a kill it would first look through the logs of every story before.
    await this.cluster.stopBroker(1);
    return () => this.cluster.startBroker(1);
  }

  async close(): Promise<void> {
    await Promise.all(this.logs.map((log) => log.close()));
    await this.cluster.remove();
  }
}
