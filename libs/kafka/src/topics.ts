import { Logger } from '@nestjs/common';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { type Admin, ConfigResourceTypes, type Kafka } from 'kafkajs';
import { awaitTopicLeaders } from './await-topic-leaders';
import { UnfitTopic } from './unfit-topic';

/** Required configuration of a topic. */
export interface TopicSpecification {
  /** With its prefix. */
  topic: string;
  partitions: number;
  compacted: boolean;
  /** `null` retains records forever. */
  retentionMs: number | null;
  /** Records must survive the loss of a broker: acknowledged by a majority of replicas. */
  lasting: boolean;
}

/** Above every payload that our own limit of 8 M characters admits. */
const RECORD_BYTES_MAX = 32 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** Retention removes closed segments only: a record may stay so much longer than the retention. Kafka's default is a week. */
const SEGMENT_MS_MAX = DAY_MS;
/** When the record before a tombstone is removed at the latest. By default Kafka compacts when half of a log is superseded. */
const COMPACTION_LAG_MS_MAX = DAY_MS;
const REPLICATION_MAX = 3;
const MIN_INSYNC = 2;
const CREATE_TIMEOUT_MS = 10_000;

const logger = new Logger('Kafka');

/**
 * Creates missing topics with explicit partitions, and checks existing ones, whatever created them. Safe when many processes
 * call it at once.
 * @returns the leaders of each topic's partitions.
 * @throws ServiceError `unavailable`, naming what to change in an existing topic, or when the cluster is unavailable.
 */
export async function ensureTopics(kafka: Kafka, topics: readonly TopicSpecification[]): Promise<Map<string, number[]>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const missing = topics.filter(({ topic }) => !existing.has(topic));
    if (missing.length > 0) await createTopics(admin, missing);
    const present = topics.filter(({ topic }) => existing.has(topic));
    if (present.length > 0) await checkTopics(admin, present);
    return await awaitTopicLeaders(
      admin,
      topics.map(({ topic }) => topic),
    );
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw unavailable(`Checking the topics in Kafka failed: ${(error as Error).message}`, error);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function createTopics(admin: Admin, topics: readonly TopicSpecification[]) {
  const { brokers } = await admin.describeCluster();
  const replicationFactor = Math.min(brokers.length, REPLICATION_MAX);
  // One request per topic, because kafkajs returns a single boolean: false when another process created the topic first.
  const created: string[] = [];
  for (const one of topics) {
    const { topic, partitions: numPartitions } = one;
    const configEntries = Object.entries(configurationOf(one, replicationFactor)).map(([name, value]) => ({ name, value }));
    const isCreated = await admin.createTopics({
      // kafkajs fails at once when the queried broker does not know the topic yet; `awaitTopicLeaders` retries.
      waitForLeaders: false,
      timeout: CREATE_TIMEOUT_MS,
      topics: [{ topic, numPartitions, replicationFactor, configEntries }],
    });
    if (isCreated) created.push(topic);
  }
  if (created.length > 0) logger.log(`Created topics: ${created.join(', ')}`);
}

function configurationOf({ compacted, retentionMs, lasting }: TopicSpecification, replicas: number): Record<string, string> {
  return {
    'cleanup.policy': compacted ? (retentionMs === null ? 'compact' : 'compact,delete') : 'delete',
    'retention.ms': String(retentionMs ?? -1),
    ...removalLimits({ compacted, retentionMs }),
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': String(RECORD_BYTES_MAX),
    'unclean.leader.election.enable': 'false',
    'min.insync.replicas': String(lasting && replicas >= REPLICATION_MAX ? MIN_INSYNC : 1),
  };
}

/** The settings that bound how long a removed or expired record stays, in ms. */
function removalLimits({ compacted, retentionMs }: Pick<TopicSpecification, 'compacted' | 'retentionMs'>): Record<string, string> {
  if (compacted) return { 'max.compaction.lag.ms': String(COMPACTION_LAG_MS_MAX) };
  return retentionMs === null ? {} : { 'segment.ms': String(Math.min(retentionMs, SEGMENT_MS_MAX)) };
}

async function checkTopics(admin: Admin, topics: readonly TopicSpecification[]) {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map(({ topic }) => ({ type: ConfigResourceTypes.TOPIC, name: topic })),
  });
  for (const one of topics) {
    const entries = resources.find(({ resourceName }) => resourceName === one.topic)?.configEntries ?? [];
    const valueOf = (name: string) => entries.find(({ configName }) => configName === name)?.configValue ?? '';
    // It would lose or refuse records.
    const unfit = (name: string, why: string) => {
      const message = `Topic ${one.topic} has ${name}=${valueOf(name)}: ${why}. Change its configuration, or KAFKA_TOPIC_PREFIX.`;
      return new UnfitTopic(message);
    };
    const compacted = valueOf('cleanup.policy').includes('compact');
    if (compacted && !one.compacted) throw unfit('cleanup.policy', 'compaction would remove unread records');
    if (!compacted && one.compacted)
      logger.warn(`Topic ${one.topic} is not compacted: it retains every record instead of the latest of a key`);
    if (valueOf('message.timestamp.type') !== 'LogAppendTime') throw unfit('message.timestamp.type', 'deadlines count from LogAppendTime');
    const retention = Number(valueOf('retention.ms'));
    if (one.retentionMs !== null && retention >= 0 && retention < one.retentionMs)
      logger.warn(`Topic ${one.topic} retains records for ${retention} ms, less than the required ${one.retentionMs} ms`);
    for (const [name, limit] of Object.entries(removalLimits(one)))
      if (Number(valueOf(name)) > Number(limit))
        logger.warn(`Topic ${one.topic} has ${name}=${valueOf(name)}: erased data stays longer than necessary; set it to ${limit}`);
    if (Number(valueOf('max.message.bytes')) < RECORD_BYTES_MAX)
      logger.warn(
        `Topic ${one.topic} refuses records above ${valueOf('max.message.bytes')} bytes; raise max.message.bytes to ${RECORD_BYTES_MAX}`,
      );
  }
}
