import { type Admin, ConfigResourceTypes, type KafkaJSProtocolError } from 'kafkajs';
import { minInsyncOf, removalLimits, type TopicSettings } from './topic-settings';
import type { TopicSpecification } from './topics';

/** What is wrong with existing topics, each with the change to make. */
export interface TopicFaults {
  /** Records would be lost or refused: the topic must not be used. */
  refusals: string[];
  /** The topic works, with less than it should have. */
  warnings: string[];
}

/** A topic in the cluster. */
interface FoundTopic {
  /** Of the partition with the fewest. */
  replicas: number;
  /** A setting in effect, `''` without one; absent when this client may not read the settings. */
  valueOf?(name: string): string;
}

const NOT_ALLOWED = /AUTHORIZATION_FAILED/;

/**
 * Compares existing topics with what is required of them. @returns what differs, the first by name of a topic first.
 * @throws what kafkajs throws when the cluster does not answer.
 */
export async function checkTopics(admin: Admin, topics: readonly TopicSpecification[], settings: TopicSettings): Promise<TopicFaults> {
  const names = topics.map(({ topic }) => topic);
  const { topics: metadata } = await admin.fetchTopicMetadata({ topics: names });
  const { valuesOf, refused } = await readSettings(admin, names);
  const faults: TopicFaults = { refusals: [], warnings: [] };
  if (refused) faultsTo(faults, settings).push(refused);
  for (const one of topics) {
    const partitions = metadata.find(({ name }) => name === one.topic)?.partitions ?? [];
    const found = { replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)), valueOf: valuesOf?.(one.topic) };
    compareReplicas(one, found, settings, faults);
    if (found.valueOf) compareSettings(one, found.valueOf, settings, faults);
  }
  return faults;
}

async function readSettings(admin: Admin, names: readonly string[]) {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: names.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })),
    });
    const valuesOf = (topic: string) => {
      const entries = resources.find(({ resourceName }) => resourceName === topic)?.configEntries ?? [];
      return (name: string) => entries.find(({ configName }) => configName === name)?.configValue ?? '';
    };
    return { valuesOf };
  } catch (error) {
    if (!NOT_ALLOWED.test((error as KafkaJSProtocolError).type ?? '')) throw error;
    const what = `The settings of ${names.join(', ')} cannot be read: the right DescribeConfigs is missing`;
    return { refused: `${what}. Give it (docs/kafka-access.md), or set TIDINGS_KAFKA_TOPIC_CHECK=warn` };
  }
}

/** Where differences go that an operator may accept. */
function faultsTo({ refusals, warnings }: TopicFaults, { check }: TopicSettings) {
  return check === 'warn' ? warnings : refusals;
}

function compareReplicas(specification: TopicSpecification, found: FoundTopic, settings: TopicSettings, faults: TopicFaults) {
  const { topic } = specification;
  const { replication } = settings;
  const minInsync = minInsyncOf(specification, settings);
  const foundMinInsync = Number(found.valueOf?.('min.insync.replicas') || NaN);
  const accept = 'or set TIDINGS_KAFKA_TOPIC_CHECK=warn';
  if (replication !== undefined && found.replicas < replication)
    faultsTo(faults, settings).push(
      `Topic ${topic} has ${found.replicas} replica(s), and TIDINGS_KAFKA_REPLICATION=${replication} requires ${replication}. ` +
        `Reassign its partitions (docs/kafka.md), or set TIDINGS_KAFKA_REPLICATION=${found.replicas}, ${accept}`,
    );
  if (minInsync !== undefined && foundMinInsync < minInsync)
    faultsTo(faults, settings).push(
      `Topic ${topic} has min.insync.replicas=${foundMinInsync}, and ${nameOfMinInsync(settings)} requires ${minInsync}. ` +
        `Set min.insync.replicas=${minInsync} of the topic, or TIDINGS_KAFKA_MIN_ISR=${foundMinInsync}, ${accept}`,
    );
  if (foundMinInsync > found.replicas)
    faults.refusals.push(
      `Topic ${topic} has min.insync.replicas=${foundMinInsync} and ${found.replicas} replica(s): nothing can be appended. ` +
        'Lower its min.insync.replicas, or reassign its partitions',
    );
}

function nameOfMinInsync({ replication, minInsyncReplicas }: TopicSettings) {
  return `TIDINGS_KAFKA_MIN_ISR=${minInsyncReplicas} (of TIDINGS_KAFKA_REPLICATION=${replication ?? 'broker'})`;
}

function compareSettings(
  one: TopicSpecification,
  valueOf: (name: string) => string,
  { recordBytesMax }: TopicSettings,
  { refusals, warnings }: TopicFaults,
) {
  const { topic } = one;
  const unfit = (name: string, why: string) => {
    refusals.push(`Topic ${topic} has ${name}=${valueOf(name)}: ${why}. Change its configuration, or KAFKA_TOPIC_PREFIX.`);
  };
  const compacted = valueOf('cleanup.policy').includes('compact');
  if (compacted && !one.compacted) unfit('cleanup.policy', 'compaction would remove unread records');
  if (!compacted && one.compacted) warnings.push(`Topic ${topic} is not compacted: it retains every record instead of the latest of a key`);
  if (valueOf('message.timestamp.type') !== 'LogAppendTime') unfit('message.timestamp.type', 'deadlines count from LogAppendTime');
  const retention = Number(valueOf('retention.ms'));
  if (one.retentionMs !== null && retention >= 0 && retention < one.retentionMs)
    warnings.push(`Topic ${topic} retains records for ${retention} ms, less than the required ${one.retentionMs} ms`);
  for (const [name, limit] of Object.entries(removalLimits(one)))
    if (Number(valueOf(name)) > Number(limit))
      warnings.push(`Topic ${topic} has ${name}=${valueOf(name)}: erased data stays longer than necessary; set it to ${limit}`);
  const bytes = Number(valueOf('max.message.bytes'));
  if (bytes < recordBytesMax)
    warnings.push(
      `Topic ${topic} refuses records above ${bytes} bytes. Raise its max.message.bytes to ${recordBytesMax}, ` +
        `or set TIDINGS_KAFKA_MAX_MESSAGE_BYTES=${bytes}`,
    );
}
