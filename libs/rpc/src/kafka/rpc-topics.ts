import type { ServiceName } from '@tidings/contracts/core/operation';
import type { TopicSpecification } from '@tidings/kafka/topics';

/** Further members of a service would be idle. */
const REQUEST_PARTITIONS = 12;
/** Of a role. Calling instances that share a partition read, and drop, each other's replies. */
const REPLY_PARTITIONS = 16;
/** Of the common topic. */
const COMMON_REPLY_PARTITIONS = 64;
/** Far longer than every deadline. */
const RETENTION_MS = 10 * 60_000;

/** The services that answer operations. The gateway owns no data and answers none. */
export const ANSWERING_SERVICES: readonly ServiceName[] = ['identity', 'audience', 'messaging', 'content'];

/** The topic of a service's requests. */
export function requestTopic(prefix: string, service: ServiceName): string {
  return `${prefix}tidings.rpc.${service}`;
}

/** The roles of processes that call operations: all. */
export const CALLING_ROLES: readonly ServiceName[] = ['gateway', ...ANSWERING_SERVICES];

/**
 * The topic of the replies to the calls of a role, so that rights can be given for it. Without a role: that of all replies, which callers
 * of versions without signatures read. Never deleted: kafkajs fails every topic of a produce when one does not exist.
 */
export function replyTopic(prefix: string, role?: ServiceName): string {
  return `${prefix}tidings.rpc.replies${role === undefined ? '' : `.${role}`}`;
}

/** The services that a role calls. */
export const CALLEES: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  gateway: ANSWERING_SERVICES,
  identity: [],
  audience: [],
  messaging: ['identity', 'audience', 'content'],
  content: [],
};

/** The roles that call a service. */
export function callersOf(service: ServiceName): ServiceName[] {
  return CALLING_ROLES.filter((role) => CALLEES[role].includes(service));
}

/**
 * The topics of operations that a process of this role reads or writes: requests to the services that it calls and to its own service,
 * and replies to itself and to its callers. @param hasCommonReplies whether callers of versions without signatures are answered.
 */
export function rpcTopics(prefix: string, role: ServiceName, hasCommonReplies = false): TopicSpecification[] {
  const requested = ANSWERING_SERVICES.filter((service) => service === role || CALLEES[role].includes(service));
  const repliedTo = CALLING_ROLES.filter((caller) => caller === role || callersOf(role).includes(caller));
  const shortLived = { compacted: false, retentionMs: RETENTION_MS, lasting: false };
  return [
    ...requested.map((service) => ({ topic: requestTopic(prefix, service), partitions: REQUEST_PARTITIONS, ...shortLived })),
    ...repliedTo.map((caller) => ({ topic: replyTopic(prefix, caller), partitions: REPLY_PARTITIONS, ...shortLived })),
    ...(hasCommonReplies ? [{ topic: replyTopic(prefix), partitions: COMMON_REPLY_PARTITIONS, ...shortLived }] : []),
  ];
}
