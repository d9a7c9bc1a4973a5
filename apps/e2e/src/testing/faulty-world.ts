import { CapturingSmtp, EVERYBODY } from '@tidings/testing/capturing-smtp';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { startTestKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { Teardown } from '@tidings/runtime/teardown';
import { Kafka, logLevel } from 'kafkajs';
import { MessagingTables } from './messaging-tables';
import type { World } from './shared-world';
import { System } from './system';
import { tearDown } from './tear-down';

const MAIL_MS = 10;
const IN_SYNC_MS_MAX = 60_000;
const PROFILE = '/profiles/ada';
const RECOVERED = 'tidings_delivery_attempts_recovered_total';

/** The product in five processes, with a Kafka and a mail server of its own: what something happens to. */
export class FaultyWorld implements World {
  /** A resource that is there to be read. */
  readonly profile = PROFILE;
  private readonly teardown = new Teardown();
  kafka!: KafkaCluster;
  system!: System;
  private smtp!: CapturingSmtp;

  private constructor() {}

  static async start(brokers: 1 | 3): Promise<FaultyWorld> {
    const world = new FaultyWorld();
    try {
      await world.begin(brokers);
    } catch (error) {
      await world.abandon();
      throw error;
    }
    return world;
  }

  /** Resolves when every broker has what it keeps a copy of: one that was away catches up after it answers again. */
  async inSync(): Promise<void> {
    const admin = new Kafka({ clientId: 'internal-service', brokers: [...this.kafka.brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      const allInSync = async (): Promise<boolean> => {
        const { topics } = await admin.fetchTopicMetadata();
        return topics.every(({ partitions }) => partitions.every(({ isr, replicas }) => isr.length === replicas.length));
      };
      await waitUntil(allInSync, { what: 'every replica in sync', timeoutMs: IN_SYNC_MS_MAX, intervalMs: 100 });
    } finally {
      await admin.disconnect();
    }
  }

  /** Mails the server has beyond the first of each message. */
  get secondCopies(): number {
    return [...this.smtp.copies().values()].reduce((sum, count) => sum + count - 1, 0);
  }

  /** Attempts that each messaging process has found open since it was started, by process id. */
  recovered(): Promise<Map<number, number>> {
    return this.system.metricOf('messaging', RECOVERED);
  }

  get tables(): MessagingTables {
    return new MessagingTables(this.system);
  }

  /** Attempts of all messaging processes whose outcome is not written, each by its name. */
  openAttempts(): Promise<string[]> {
    return this.tables.openAttempts();
  }

  end(): Promise<void> {
    return tearDown(this.teardown);
  }

  async abandon(): Promise<void> {
    await this.teardown.run();
  }

  private async begin(brokers: 1 | 3): Promise<void> {
    this.kafka = await startTestKafka({ brokers });
    this.teardown.add('Kafka', () => this.kafka.remove());
    this.smtp = await CapturingSmtp.start({ withoutContent: true });
    this.teardown.add('the mail server', () => this.smtp.close());
    this.smtp.treat(EVERYBODY, { slowMs: MAIL_MS });
    this.system = await System.start({ way: 'kafka', kafkaBrokers: this.kafka.brokers, smtpUrl: this.smtp.url });
    this.teardown.add('the product', () => this.system.stop());
    await this.system.client.request('PUT', PROFILE, { body: { profile: { email: 'ada@example.com' } } });
  }
}
