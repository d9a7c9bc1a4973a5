import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import {
  consumerAccess,
  KAFKA_ROLES,
  kafkaAccess,
  type KafkaOperation,
  kafkaPrincipalOf,
  type KafkaRight,
} from '@tidings/runtime/kafka-access';
import { startTestKafka } from '@tidings/testing/kafka';
import {
  type Admin,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  type KafkaConfig,
  logLevel,
  ResourcePatternTypes,
} from 'kafkajs';

const MECHANISM = 'scram-sha-512';
export const SUPER_USER = 'admin';
/** Reads the topics of the interface. */
export const CONSUMER = 'history-reader';
/** Has no rights. */
export const STRANGER = 'stranger';
export const CONSUMER_GROUP = 'message-history-printer';
const USERS = [...KAFKA_ROLES.map(kafkaPrincipalOf), CONSUMER, STRANGER];

const OPERATION_TYPES: Record<KafkaOperation, AclOperationTypes> = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  Create: AclOperationTypes.CREATE,
  Describe: AclOperationTypes.DESCRIBE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
};

/** A Kafka with `StandardAuthorizer`, a principal for each role with exactly its rights, a consumer, and a stranger without rights. */
export class KafkaPrincipals {
  readonly topicPrefix = 'acl.';
  private readonly passwords = new Map([SUPER_USER, ...USERS].map((name) => [name, randomBytes(12).toString('hex')] as const));
  private cluster!: KafkaCluster;

  static async start(): Promise<KafkaPrincipals> {
    const principals = new KafkaPrincipals();
    await principals.setUp();
    return principals;
  }

  get brokers(): string[] {
    return this.cluster.brokers;
  }

  remove(): Promise<void> {
    return this.cluster.remove();
  }

  /** The environment with which a process is a principal. */
  environmentOf(user: string): NodeJS.ProcessEnv {
    return {
      KAFKA_BROKERS: this.brokers.join(),
      KAFKA_TOPIC_PREFIX: this.topicPrefix,
      KAFKA_SASL_MECHANISM: MECHANISM,
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD: this.passwords.get(user),
    };
  }

  /** The settings with which a process of this test is a principal. */
  settingsOf(user: string) {
    return { brokers: this.brokers, topicPrefix: this.topicPrefix, sasl: this.saslOf(user) };
  }

  /** A plain client. */
  clientOf(user: string): Kafka {
    const sasl = this.saslOf(user) as KafkaConfig['sasl'];
    return new Kafka({ clientId: user, brokers: this.brokers, sasl, logLevel: logLevel.NOTHING, retry: { retries: 1 } });
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

  private saslOf(username: string) {
    return { mechanism: MECHANISM, username, password: this.passwords.get(username)! } as const;
  }

  private async asSuperUser(work: (admin: Admin) => Promise<unknown>) {
    const admin = this.clientOf(SUPER_USER).admin();
    await admin.connect();
    try {
      await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  private async setUp() {
    const [superUser, ...restricted] = [...this.passwords].map(([username, password]) => ({ username, password }));
    this.cluster = await startTestKafka({ listener: { sasl: { mechanism: MECHANISM, ...superUser!, restricted } } });
    await this.asSuperUser((admin) => {
      const acl = KAFKA_ROLES.flatMap((role) => aclsOf(kafkaPrincipalOf(role), kafkaAccess(role, this.topicPrefix)));
      const consumer = aclsOf(CONSUMER, consumerAccess(`${this.topicPrefix}${CONSUMER_GROUP}`, this.topicPrefix));
      return admin.createAcls({ acl: [...acl, ...consumer] });
    });
  }
}

function aclsOf(user: string, rights: readonly KafkaRight[]) {
  return rights.flatMap(({ resource, name, pattern, operations }) =>
    operations.map((operation) => ({
      principal: `User:${user}`,
      host: '*',
      resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
      resourceName: name,
      resourcePatternType: pattern === 'literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
      operation: OPERATION_TYPES[operation],
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}
