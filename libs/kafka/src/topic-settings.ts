import type { TopicSpecification } from './topics';

/** Replicas of each partition where nothing else is set. */
export const REPLICATION_DEFAULT = 3;
/** Above every payload that our own limit of 8 M characters admits. */
export const RECORD_BYTES_DEFAULT = 32 * 1024 * 1024;
/** What happens when an existing topic differs. */
export const TOPIC_CHECKS = ['refuse', 'warn'] as const;
/** The settings of a topic that may be left to the brokers. */
export const OPTIONAL_TOPIC_SETTINGS = [
  'max.compaction.lag.ms',
  'max.message.bytes',
  'message.timestamp.type',
  'segment.ms',
  'unclean.leader.election.enable',
] as const;

const DAY_MS = 24 * 3_600_000;
/** Retention removes closed segments only: a record may stay so much longer than the retention. Kafka's default is a week. */
const SEGMENT_MS_MAX = DAY_MS;
/** When the record before a tombstone is removed at the latest. By default Kafka compacts when half of a log is superseded. */
const COMPACTION_LAG_MS_MAX = DAY_MS;

/** How topics are created, and what existing ones must have. */
export interface TopicSettings {
  /** Replicas of each partition, `TIDINGS_KAFKA_REPLICATION`. `undefined`: the brokers' default, which is not checked. */
  replication: number | undefined;
  /** `min.insync.replicas` of topics that must last, `TIDINGS_KAFKA_MIN_ISR`. `undefined`: the brokers' default, which is not checked. */
  minInsyncReplicas: number | undefined;
  /** Whether an existing topic with fewer replicas is refused, or named in a warning. */
  check: (typeof TOPIC_CHECKS)[number];
  /** `max.message.bytes`. */
  recordBytesMax: number;
  /** These are not set when a topic is created. */
  leftToBrokers: readonly (typeof OPTIONAL_TOPIC_SETTINGS)[number][];
}

/** The settings with their defaults: three replicas, and one less in sync. */
export function topicSettings(given: Partial<TopicSettings> = {}): TopicSettings {
  const replication = 'replication' in given ? given.replication : REPLICATION_DEFAULT;
  return {
    replication,
    minInsyncReplicas: replication && Math.max(replication - 1, 1),
    check: 'refuse',
    recordBytesMax: RECORD_BYTES_DEFAULT,
    leftToBrokers: [],
    ...given,
  };
}

/** The `min.insync.replicas` of a topic; `undefined`: the brokers' default. One for topics whose records need not last. */
export function minInsyncOf({ lasting }: TopicSpecification, { minInsyncReplicas }: TopicSettings): number | undefined {
  return minInsyncReplicas === undefined || lasting ? minInsyncReplicas : 1;
}

/** The entries with which a topic is created. */
export function configurationOf(specification: TopicSpecification, settings: TopicSettings): Record<string, string> {
  const { compacted, retentionMs } = specification;
  const minInsync = minInsyncOf(specification, settings);
  const optional = {
    ...removalLimits(specification),
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': String(settings.recordBytesMax),
    'unclean.leader.election.enable': 'false',
  };
  return {
    'cleanup.policy': compacted ? (retentionMs === null ? 'compact' : 'compact,delete') : 'delete',
    'retention.ms': String(retentionMs ?? -1),
    ...(minInsync !== undefined && { 'min.insync.replicas': String(minInsync) }),
    ...Object.fromEntries(Object.entries(optional).filter(([name]) => !settings.leftToBrokers.some((left) => left === name))),
  };
}

/** The settings that bound how long a removed or expired record stays, in ms. */
export function removalLimits({ compacted, retentionMs }: Pick<TopicSpecification, 'compacted' | 'retentionMs'>): Record<string, string> {
  if (compacted) return { 'max.compaction.lag.ms': String(COMPACTION_LAG_MS_MAX) };
  return retentionMs === null ? {} : { 'segment.ms': String(Math.min(retentionMs, SEGMENT_MS_MAX)) };
}
