import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { KAFKA_ROLES, kafkaPrincipalOf } from '@tidings/runtime/kafka-access';
import { startTestKafka, TEST_TOPICS } from '@tidings/testing/kafka';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, type Admin, Kafka, logLevel, ResourcePatternTypes } from 'kafkajs';
import { ComposeKafka } from './compose-kafka';
import type { Installation } from './installation';

const MECHANISM = 'plain';
export const SUPER_USER = 'admin';
/** Reads the topics of the interface. */
export const CONSUMER = 'history-reader';
/** Has no rights. */
export const STRANGER = 'stranger';
export const CONSUMER_GROUP = 'message-history-printer';

/** The Kafka of docker-compose.yml: its settings, its principals with the rights that `tidings kafka-access` gives, and a stranger without rights. */
export class KafkaPrincipals {
  readonly topicPrefix = 'acl.';
  private readonly compose = new ComposeKafka();
  private readonly passwords: ReadonlyMap<string, string>;
  private cluster!: KafkaCluster;

  private constructor(private readonly installation: Installation) {
    const stranger = randomBytes(12).toString('hex');
    this.compose.addUser(STRANGER, stranger);
    this.passwords = new Map([
      [SUPER_USER, this.compose.secret('kafka-access/KAFKA_SASL_PASSWORD')],
      [CONSUMER, this.compose.secret('kafka/KAFKA_READER_PASSWORD')],
      [STRANGER, stranger],
      ...KAFKA_ROLES.map((role) => [kafkaPrincipalOf(role), this.compose.secret(`${role}/KAFKA_SASL_PASSWORD`)] as const),
    ]);
  }

  /** Starts the broker. The principals have no rights yet. */
  static async start(installation: Installation): Promise<KafkaPrincipals> {
    const principals = new KafkaPrincipals(installation);
    try {
      principals.cluster = await startTestKafka({ properties: principals.compose.serverProperties() });
    } catch (error) {
      principals.compose.remove();
      throw error;
    }
    return principals;
  }

  get brokers(): string[] {
    return this.cluster.brokers;
  }

  async remove(): Promise<void> {
    await this.cluster.remove();
    this.compose.remove();
  }

  /** Runs the service of docker-compose.yml that gives the rights. @param connection variables that replace its own. @returns its output and end */
  async giveRights(connection: NodeJS.ProcessEnv = {}, parameters = this.compose.commandOf('kafka-access')) {
    const program = this.installation.startCommand(parameters, { ...this.environmentOf('kafka-access'), ...connection });
    return { end: await program.ended, output: program.output };
  }

  /** The environment with which a service of docker-compose.yml is its principal. */
  environmentOf(service: ServiceName | 'kafka-access'): NodeJS.ProcessEnv {
    return {
      KAFKA_BROKERS: this.brokers.join(),
      KAFKA_TOPIC_PREFIX: this.topicPrefix,
      TIDINGS_KAFKA_REPLICATION: '1',
      ...this.compose.connectionOf(service),
    };
  }

  /** The settings with which a process of this test is a principal. */
  settingsOf(user: string) {
    return { brokers: this.brokers, topicPrefix: this.topicPrefix, topics: TEST_TOPICS, sasl: this.saslOf(user) };
  }

  /** A plain client. Without a user it has no credentials. */
  clientOf(user?: string, password?: string): Kafka {
    const sasl = user === undefined ? undefined : { ...this.saslOf(user), ...(password !== undefined && { password }) };
    return new Kafka({ clientId: user ?? 'anyone', brokers: this.brokers, sasl, logLevel: logLevel.NOTHING, retry: { retries: 1 } });
  }

  passwordOf(user: string): string {
    return this.passwords.get(user)!;
  }

  /** What the authorizer refused to the principals of these names so far. `undefined`: the broker's log is not on this machine. */
  refusals(users: readonly string[]): string[] | undefined {
    const file = path.join(this.cluster.directory, 'broker-1/server.log');
    if (!existsSync(file)) return undefined;
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.filter((line) => line.includes('is Denied') && users.some((user) => line.includes(`Principal = User:${user} `)));
  }

  /** Creates those of the topics that do not exist, as the super user. */
  createMissing(topics: readonly string[]): Promise<void> {
    return this.asSuperUser(async (admin) => {
      const existing = new Set(await admin.listTopics());
      const missing = topics.filter((topic) => !existing.has(topic)).map((topic) => ({ topic, numPartitions: 1 }));
      if (missing.length > 0) await admin.createTopics({ topics: missing });
    });
  }

  /** The names of the resources on which a principal has rights. */
  rightsOf(user: string): Promise<string[]> {
    return this.asSuperUser(async (admin) => {
      const { resources } = await admin.describeAcls({
        resourceType: AclResourceTypes.ANY,
        resourcePatternType: ResourcePatternTypes.ANY,
        principal: `User:${user}`,
        operation: AclOperationTypes.ANY,
        permissionType: AclPermissionTypes.ANY,
      });
      return resources.map(({ resourceName }) => resourceName);
    });
  }

  private saslOf(username: string) {
    return { mechanism: MECHANISM, username, password: this.passwordOf(username) } as const;
  }

  private async asSuperUser<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    const admin = this.clientOf(SUPER_USER).admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}
