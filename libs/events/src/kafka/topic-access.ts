import type { ServiceName } from '@tidings/contracts/core/operation';
import { groupPrefixOf, PERSONAL_TOPICS, TOPIC_ACCESS, type TopicAccess } from '../topic-access';
import type { Topic } from '../topic';

/** Until when records with unknown keys need not be waited for: the time of the latest record under the name of their topic. */
export const SKIPS: Topic = { topic: 'tidings.unverified-skips.v1', compacted: true, retentionMs: null, isSmall: true };

/** `TOPIC_ACCESS`, and the topic of skips: identity writes it for an operator, and the readers of events read it. */
export const KAFKA_TOPIC_ACCESS: readonly TopicAccess[] = [
  ...TOPIC_ACCESS,
  { topic: SKIPS, writers: ['identity'], readers: [...new Set(TOPIC_ACCESS.flatMap(({ readers }) => readers))] },
];

/** The topics whose settings a role reads without using them: messaging reports how long they retain the records of an erased user. */
export const inspectedTopicsOf = (role: ServiceName): readonly Topic[] => (role === 'messaging' ? PERSONAL_TOPICS : []);

/** The name of a role's processes in the brokers' logs and quotas, and in the names of groups of one process. */
export const kafkaClientIdOf = (role: ServiceName): string => `tidings-${role}`;

/**
 * The beginnings of the names of a role's groups on a topic: of groups that share the work, and of groups of one process. A small topic
 * has only the latter.
 * @param topic with its prefix.
 */
export function groupPrefixesOn(topic: string, role: ServiceName, isSmall = false): string[] {
  const ofProcess = `${topic}.${kafkaClientIdOf(role)}.`;
  return isSmall ? [ofProcess] : [`${topic}.${groupPrefixOf(role)}`, ofProcess];
}
