import type { ServiceName } from '@tidings/contracts/core/operation';
import { events } from '@tidings/contracts/registry';
import { groupPrefixesOn, inspectedTopicsOf, KAFKA_TOPIC_ACCESS, kafkaClientIdOf } from '@tidings/events/kafka/topic-access';
import { type KafkaOperation, KAFKA_OPERATIONS, type KafkaRight } from '@tidings/kafka/acls';
import { ANSWERING_SERVICES, CALLEES, CALLING_ROLES, callersOf, replyTopic, requestTopic } from '@tidings/rpc/kafka/rpc-topics';

/** The roles of processes over Kafka, each with a principal of its own. */
export const KAFKA_ROLES: readonly ServiceName[] = CALLING_ROLES;

/** The name of the principal of a role in the documentation and in the deployment files. */
export const kafkaPrincipalOf = kafkaClientIdOf;

/** Every process creates the topics that it uses when they are missing, and else checks their configuration. */
const ENSURE = ['Create', 'Describe', 'DescribeConfigs'] as const;
const INSPECT = ['Describe', 'DescribeConfigs'] as const;
const JOIN = ['Read', 'Describe'] as const;

/**
 * All that a process of a role needs in Kafka, topics and groups each by name: no rights on the cluster. With
 * `TIDINGS_RPC_UNSIGNED=accept` it needs `commonReplyAccess` too.
 */
export function kafkaAccess(role: ServiceName, prefix = ''): KafkaRight[] {
  return [...callRights(role, prefix), ...eventRights(role, prefix)].sort(
    (one, other) => other.resource.localeCompare(one.resource) || one.name.localeCompare(other.name),
  );
}

/** All that a consumer outside the product needs to read the topics of its interface. @param group its group, with the prefix. */
export function consumerAccess(group: string, prefix = ''): KafkaRight[] {
  const topics = events.filter(({ to }) => to?.includes('consumers'));
  return [...topics.map(({ topic }) => right('topic', `${prefix}${topic}`, JOIN)), right('group', group, JOIN)];
}

/**
 * What a process of any role needs in addition while records without signatures are accepted: the one topic of all replies. It covers the
 * groups of the replies to all roles.
 */
export function commonReplyAccess(prefix = ''): KafkaRight[] {
  const replies = replyTopic(prefix);
  return [topicRight(replies, ['Read', 'Write']), right('group', `${replies}.`, JOIN, 'prefixed')];
}

function callRights(role: ServiceName, prefix: string): KafkaRight[] {
  const ownReplies = replyTopic(prefix, role);
  const rights = [
    ...CALLEES[role].map((service) => topicRight(requestTopic(prefix, service), ['Write'])),
    ...callersOf(role).map((caller) => topicRight(replyTopic(prefix, caller), ['Write'])),
    // A process sends itself pings.
    topicRight(ownReplies, ['Read', 'Write']),
    right('group', `${ownReplies}.`, JOIN, 'prefixed'),
  ];
  if (!ANSWERING_SERVICES.includes(role)) return rights;
  const ownRequests = requestTopic(prefix, role);
  return [...rights, topicRight(ownRequests, ['Read']), right('group', ownRequests, JOIN)];
}

function eventRights(role: ServiceName, prefix: string): KafkaRight[] {
  const inspected = new Set(inspectedTopicsOf(role).map(({ topic }) => topic));
  return KAFKA_TOPIC_ACCESS.flatMap(({ topic: { topic, isSmall }, writers, readers }) => {
    const name = `${prefix}${topic}`;
    const reads = readers.includes(role);
    const uses: KafkaOperation[] = [...(reads ? ['Read' as const] : []), ...(writers.includes(role) ? ['Write' as const] : [])];
    if (uses.length === 0) return inspected.has(topic) ? [right('topic', name, INSPECT)] : [];
    const groups = reads ? groupPrefixesOn(name, role, isSmall) : [];
    return [topicRight(name, uses), ...groups.map((group) => right('group', group, JOIN, 'prefixed'))];
  });
}

function topicRight(name: string, uses: readonly KafkaOperation[]) {
  return right('topic', name, [...uses, ...ENSURE]);
}

function right(
  resource: KafkaRight['resource'],
  name: string,
  operations: readonly KafkaOperation[],
  pattern: KafkaRight['pattern'] = 'literal',
): KafkaRight {
  return { resource, name, pattern, operations: KAFKA_OPERATIONS.filter((operation) => operations.includes(operation)) };
}
