import { Logger } from '@nestjs/common';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { type Admin, ConfigResourceTypes, type Kafka } from 'kafkajs';
import { awaitTopicLeaders } from './await-topic-leaders';

/** What a topic has to be. */
export interface TopicSpecification {
  /** With its prefix. */
  topic: string;
  partitions: number;
  compacted: boolean;
  /** `null` keeps for ever. */
  retentionMs: number | null;
  /** Losing a record of it is losing something accepted: needs a majority of replicas. */
  lasting: boolean;
}

/** Anything that our own limits admit can travel: 8 M characters are at most this many bytes. */
const RECORD_BYTES_MAX = 32 * 1024 * 1024;
/** Kafka's own. */
const SEGMENT_MS_DEFAULT = 7 * 24 * 3_600_000;
const REPLICATION_MAX = 3;
const MIN_INSYNC = 2;
const CREATE_TIMEOUT_MS = 10_000;

const logger = new Logger('Kafka');

/**
 * Makes the topics that are missing, with explicit partitions, and checks those that exist, whoever made them. Harmless when
 * many do it at once.
 * @returns the number of partitions of each topic.
 * @throws ServiceError `unavailable`: UnfitTopic when one that exists cannot do its work, with what to change; else the cluster is away.
 */
export async function ensureTopics(kafka: Kafka, topics: readonly TopicSpecification[]): Promise<Map<string, number>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const missing = topics.filter(({ topic }) => !existing.has(topic));
    if (missing.length > 0) await createTopics(admin, missing);
    const known = topics.filter(({ topic }) => existing.has(topic));
    if (known.length > 0) await checkTopics(admin, known);
    const made = await awaitTopicLeaders(
      admin,
      topics.map(({ topic }) => topic),
    );
    return new Map(made.map(({ name, partitions }) => [name, partitions.length]));
  } catch (error) {
    if (error instanceof UnfitTopic) throw error;
    throw unavailable(`Kafka cannot be asked for its topics: ${(error as Error).message}`, error);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** Between two looks at a topic that has to be mended by somebody, in s. */
const LOOK_AGAIN_SECONDS = 5;

/** A topic somebody else made that would lose records, or refuse them. It can be mended while we run: until then, not now. */
class UnfitTopic extends ServiceError {
  constructor(message: string) {
    super('unavailable', message, { retryAfterSeconds: LOOK_AGAIN_SECONDS });
  }
}

async function createTopics(admin: Admin, topics: readonly TopicSpecification[]): Promise<void> {
  const { brokers } = await admin.describeCluster();
  const replicationFactor = Math.min(brokers.length, REPLICATION_MAX);
  const make = (one: TopicSpecification): Promise<boolean> =>
    admin.createTopics({
      // kafkajs gives up at once when the broker it asks has not heard of the topic yet; `ledTopics` waits better.
      waitForLeaders: false,
      timeout: CREATE_TIMEOUT_MS,
      topics: [
        {
          topic: one.topic,
          numPartitions: one.partitions,
          replicationFactor,
          configEntries: Object.entries(configurationOf(one, replicationFactor)).map(([name, value]) => ({ name, value })),
        },
      ],
    });
  // One request a topic: of a request for several nobody can say afterwards who made which. kafkajs answers false for one that
  // exists already, because another process was quicker.
  const made: string[] = [];
  for (const one of topics) if (await make(one)) made.push(one.topic);
  if (made.length > 0) logger.log(`Made topics: ${made.join(', ')}`);
}

function configurationOf({ compacted, retentionMs, lasting }: TopicSpecification, replicas: number): Record<string, string> {
  return {
    'cleanup.policy': compacted ? (retentionMs === null ? 'compact' : 'compact,delete') : 'delete',
    'retention.ms': String(retentionMs ?? -1),
    // Only what is in a closed segment is removed; by default one of a busy partition stays open up to 1 GB.
    ...(retentionMs !== null && retentionMs < SEGMENT_MS_DEFAULT && { 'segment.ms': String(retentionMs) }),
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': String(RECORD_BYTES_MAX),
    'unclean.leader.election.enable': 'false',
    'min.insync.replicas': String(lasting && replicas >= REPLICATION_MAX ? MIN_INSYNC : 1),
  };
}

async function checkTopics(admin: Admin, topics: readonly TopicSpecification[]): Promise<void> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map(({ topic }) => ({ type: ConfigResourceTypes.TOPIC, name: topic })),
  });
  for (const one of topics) {
    const entries = resources.find(({ resourceName }) => resourceName === one.topic)?.configEntries ?? [];
    const valueOf = (name: string): string => entries.find(({ configName }) => configName === name)?.configValue ?? '';
    const unfit = (name: string, why: string): UnfitTopic =>
      new UnfitTopic(`Topic ${one.topic} has ${name}=${valueOf(name)}: ${why}. Change its configuration, or KAFKA_TOPIC_PREFIX.`);
    const compacted = valueOf('cleanup.policy').includes('compact');
    if (compacted && !one.compacted) throw unfit('cleanup.policy', 'compaction would remove records that nobody has read yet');
    if (!compacted && one.compacted)
      logger.warn(`Topic ${one.topic} is not compacted: it keeps every record instead of the latest of a key`);
    if (valueOf('message.timestamp.type') !== 'LogAppendTime') throw unfit('message.timestamp.type', 'deadlines count from LogAppendTime');
    const retention = Number(valueOf('retention.ms'));
    if (one.retentionMs !== null && retention >= 0 && retention < one.retentionMs)
      logger.warn(`Topic ${one.topic} keeps records for ${retention} ms, less than the ${one.retentionMs} ms it was meant for`);
    if (Number(valueOf('max.message.bytes')) < RECORD_BYTES_MAX)
      logger.warn(
        `Topic ${one.topic} takes records of ${valueOf('max.message.bytes')} bytes; larger ones of ours are refused (${RECORD_BYTES_MAX})`,
      );
  }
}
