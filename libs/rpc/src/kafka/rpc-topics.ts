import type { ServiceName } from '@tidings/contracts/core/operation';
import type { TopicSpecification } from '@tidings/events/kafka/topics';

/** More members of a service than this would stand idle. */
const REQUEST_PARTITIONS = 12;
/** Calling instances that share a partition read each other's replies in vain. */
const REPLY_PARTITIONS = 64;
/** Far beyond every deadline; no reply is worth more. */
const RETENTION_MS = 10 * 60_000;

/** The services that answer operations. The gateway owns nothing and is asked nothing. */
export const ANSWERING_SERVICES: readonly ServiceName[] = ['identity', 'audience', 'messaging', 'content'];

export function requestTopic(prefix: string, service: ServiceName): string {
  return `${prefix}tidings.rpc.${service}`;
}

/** Never deleted: kafkajs fails every topic of a produce when one of them is gone. */
export function replyTopic(prefix: string): string {
  return `${prefix}tidings.rpc.replies`;
}

export function rpcTopics(prefix: string): TopicSpecification[] {
  const fleeting = { compacted: false, retentionMs: RETENTION_MS, lasting: false };
  return [
    ...ANSWERING_SERVICES.map((service) => ({ topic: requestTopic(prefix, service), partitions: REQUEST_PARTITIONS, ...fleeting })),
    { topic: replyTopic(prefix), partitions: REPLY_PARTITIONS, ...fleeting },
  ];
}
