import { Logger } from '@nestjs/common';

// kafkajs reads it when the first producer is made.
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

/** What the gateway and the service on Nest's own Kafka transport have agreed on. */
export interface NestKafka {
  brokers: string[];
  /** Topic and pattern are one for Nest. */
  pattern: string;
}

export interface RetrieveProfile {
  workspaceId: string;
  userId: string;
}

/** Nest's name for the topic of a pattern's answers. */
export const replyTopicOf = (pattern: string): string => `${pattern}.reply`;

// What Nest and its client say while they start is not asked for here.
Logger.overrideLogger(['error', 'fatal']);

/** Nothing but what it cannot do without: the rest is as Nest comes. */
export const clientOf = (role: 'gateway' | 'service', { brokers, pattern }: NestKafka) => ({
  client: { brokers, clientId: `bench-nest-${role}` },
  consumer: { groupId: pattern },
});
