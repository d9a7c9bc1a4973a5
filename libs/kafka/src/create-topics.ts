import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import type { Admin, KafkaJSAggregateError, KafkaJSProtocolError } from 'kafkajs';
import { configurationOf, type TopicSettings } from './topic-settings';
import type { TopicSpecification } from './topics';
import { UnfitTopic } from './unfit-topic';

const CREATE_TIMEOUT_MS = 10_000;
/** The number with which a request leaves the replicas to the brokers. */
const BROKERS_REPLICATION = -1;

const logger = new Logger('Kafka');

/**
 * Creates topics that do not exist. One that another process creates meanwhile is none of this one's.
 * @throws UnfitTopic naming what to set when the brokers refuse it; ServiceError `unavailable`; what kafkajs throws.
 */
export async function createTopics(admin: Admin, topics: readonly TopicSpecification[], settings: TopicSettings): Promise<void> {
  // One request per topic, because kafkajs returns a single boolean: false when another process created the topic first.
  const created: string[] = [];
  for (const one of topics) {
    try {
      if (await create(admin, one, settings)) created.push(one.topic);
    } catch (error) {
      throw await refusalOf(admin, one, settings, error);
    }
  }
  if (created.length > 0) logger.log(`Created topics: ${created.join(', ')}`);
}

function create(admin: Admin, specification: TopicSpecification, settings: TopicSettings) {
  const { topic, partitions: numPartitions } = specification;
  const { replication: replicationFactor = BROKERS_REPLICATION } = settings;
  const configEntries = Object.entries(configurationOf(specification, settings)).map(([name, value]) => ({ name, value }));
  return admin.createTopics({
    // kafkajs fails at once when the queried broker does not know the topic yet; `awaitTopicLeaders` retries.
    waitForLeaders: false,
    timeout: CREATE_TIMEOUT_MS,
    topics: [{ topic, numPartitions, replicationFactor, configEntries }],
  });
}

/** The error of a refused creation, with what an operator has to set. */
async function refusalOf(admin: Admin, { topic }: TopicSpecification, { replication }: TopicSettings, error: unknown): Promise<unknown> {
  const types = ((error as KafkaJSAggregateError).errors as KafkaJSProtocolError[] | undefined)?.map(({ type }) => type) ?? [];
  if (types.includes('INVALID_REPLICATION_FACTOR')) {
    const { brokers } = await admin.describeCluster();
    const count = `The cluster has ${brokers.length} broker(s), fewer than TIDINGS_KAFKA_REPLICATION=${replication}`;
    return new UnfitTopic(`${count}: topic ${topic} cannot be created. Add brokers, or set TIDINGS_KAFKA_REPLICATION=${brokers.length}`);
  }
  if (types.includes('INVALID_CONFIG') || types.includes('POLICY_VIOLATION')) {
    const change = 'Name the setting that they refuse in TIDINGS_KAFKA_TOPIC_DEFAULTS, or change TIDINGS_KAFKA_REPLICATION,';
    return new UnfitTopic(
      `The brokers refuse the settings of topic ${topic} (${types.join()}). ${change} ` +
        'TIDINGS_KAFKA_MIN_ISR or TIDINGS_KAFKA_MAX_MESSAGE_BYTES; or create the topic yourself (docs/kafka.md)',
    );
  }
  if (types.includes('TOPIC_AUTHORIZATION_FAILED') || types.includes('CLUSTER_AUTHORIZATION_FAILED'))
    return unavailable(`Topic ${topic} does not exist, and this process may not create it (docs/kafka-access.md)`, error);
  return error;
}
