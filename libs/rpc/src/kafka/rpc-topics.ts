import type { ServiceName } from '@tidings/contracts/core/operation';
import type { TopicSpecification } from '@tidings/kafka/topics';

/** Further members of a service would be idle. */
const REQUEST_PARTITIONS = 12;
/** Calling instances that share a partition read, and drop, each other's replies. */
const REPLY_PARTITIONS = 64;
/** Far longer than every deadline. */
const RETENTION_MS = 10 * 60_000;

/** The services that answer operations. The gateway owns no data and answers none. */
export const ANSWERING_SERVICES: readonly ServiceName[] = ['identity', 'audience', 'messaging', 'content'];

/** The topic of a service's requests. */
export function requestTopic(prefix: string, service: ServiceName): string {
  return `${prefix}tidings.rpc.${service}`;
}

/** The topic of all replies. Never deleted: kafkajs fails every topic of a produce when one does not exist. */
export function replyTopic(prefix: string): string {
  return `${prefix}tidings.rpc.replies`;
}

/** All topics of operations. */
export function rpcTopics(prefix: string): TopicSpecification[] {
  const shortLived = { compacted: false, retentionMs: RETENTION_MS, lasting: false };
  return [
    ...ANSWERING_SERVICES.map((service) => ({ topic: requestTopic(prefix, service), partitions: REQUEST_PARTITIONS, ...shortLived })),
    { topic: replyTopic(prefix), partitions: REPLY_PARTITIONS, ...shortLived },
  ];
}
