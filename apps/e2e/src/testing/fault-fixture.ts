import { CapturingSmtp, ANY_RECIPIENT } from '@tidings/testing/capturing-smtp';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { startTestKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { Teardown } from '@tidings/runtime/teardown';
import { Kafka, logLevel } from 'kafkajs';
import { MessagingTables } from './messaging-tables';
import type { Fixture } from './shared-fixture';
import { System } from './system';
import { tearDown } from './tear-down';

const MAIL_MS = 10;
const IN_SYNC_MS_MAX = 60_000;
const PROFILE = '/profiles/ada';
/** Attempts that were open when their process ended, and that another one made again. */
export const RECOVERED = 'tidings_delivery_attempts_recovered_total';

/** The product in five processes with its own Kafka and mail server, for faults to be injected. */
export class FaultFixture implements Fixture {
  /** Path of an existing resource. */
  readonly profile = PROFILE;
  private readonly teardown = new Teardown();
  kafka!: KafkaCluster;
  system!: System;
  private smtp!: CapturingSmtp;

  private constructor() {}

  static async start(brokers: 1 | 3): Promise<FaultFixture> {
    const fixture = new FaultFixture();
    try {
      await fixture.setUp(brokers);
    } catch (error) {
      await fixture.abandon();
      throw error;
    }
    return fixture;
  }

  /** Resolves when every replica is in sync: a restarted broker catches up after it answers again. */
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

  /** Mails received beyond the first of each message. */
  get secondCopies(): number {
    return [...this.smtp.copies().values()].reduce((sum, count) => sum + count - 1, 0);
  }

  /** Open attempts that each messaging process found since its start, by process id. */
  recovered(): Promise<Map<number, number>> {
    return this.system.metricOf('messaging', RECOVERED);
  }

  get tables(): MessagingTables {
    return new MessagingTables(this.system);
  }

  /** Names of attempts without a stored outcome. */
  openAttempts(): Promise<string[]> {
    return this.tables.openAttempts();
  }

  end(): Promise<void> {
    return tearDown(this.teardown);
  }

  async abandon(): Promise<void> {
    await this.teardown.run();
  }

  private async setUp(brokers: 1 | 3): Promise<void> {
    this.kafka = await startTestKafka({ brokers });
    this.teardown.add('Kafka', () => this.kafka.remove());
    this.smtp = await CapturingSmtp.start({ withoutContent: true });
    this.teardown.add('the mail server', () => this.smtp.close());
    this.smtp.treat(ANY_RECIPIENT, { slowMs: MAIL_MS });
    this.system = await System.start({ topology: 'kafka', kafkaBrokers: this.kafka.brokers, smtpUrl: this.smtp.url });
    this.teardown.add('the product', () => this.system.stop());
    await this.system.client.request('PUT', PROFILE, { body: { profile: { email: 'ada@example.com' } } });
  }
}
