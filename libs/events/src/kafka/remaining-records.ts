import type { KafkaAdmin } from '@tidings/kafka/admin';
import { ConfigResourceTypes } from 'kafkajs';
import type { RemainingRecords } from '../event-log';
import { PERSONAL_TOPICS } from '../topic-access';

/** Longer times are Kafka's "never". */
const LIMIT_MS_MAX = 10 * 365 * 86_400_000;
/** Kafka checks for expired segments, and deletes their files, so much later. */
const REMOVAL_MS = 10 * 60_000;

/**
 * What the brokers still have of a user who is erased now: a topic has the records until it expires or compacts them. The times are made
 * from the topics' own settings.
 */
export async function remainingRecords(admin: KafkaAdmin, topicPrefix: string): Promise<RemainingRecords[]> {
  const existing = new Set(await admin.request((connected) => connected.listTopics()));
  const names = PERSONAL_TOPICS.map(({ topic }) => `${topicPrefix}${topic}`).filter((name) => existing.has(name));
  return Promise.all(names.map(async (topic) => ({ topic, ...endOf(await settingsOf(admin, topic)) })));
}

/** Undefined where the process may not read them. */
async function settingsOf(admin: KafkaAdmin, name: string) {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name }];
  const answer = await admin
    .request((connected) => connected.describeConfigs({ includeSynonyms: false, resources }))
    .catch(() => undefined);
  const entries = answer?.resources[0]?.configEntries;
  return entries && Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
}

function endOf(settings: Record<string, string> | undefined): Omit<RemainingRecords, 'topic'> {
  if (!settings) return { reason: 'the settings of the topic cannot be read' };
  if (settings['cleanup.policy']?.includes('compact')) {
    const lag = Number(settings['max.compaction.lag.ms']);
    if (!(lag < LIMIT_MS_MAX)) return { reason: 'max.compaction.lag.ms of the topic is not set' };
    return { until: Date.now() + lag + REMOVAL_MS, reason: 'in partitions that get further records' };
  }
  const retention = Number(settings['retention.ms']);
  const segment = Number(settings['segment.ms']);
  if (!(retention >= 0 && retention + segment < LIMIT_MS_MAX)) return { reason: 'the topic retains its records' };
  return { until: Date.now() + retention + segment + REMOVAL_MS };
}
