import { Logger } from '@nestjs/common';

// kafkajs reads it when the first producer is made.
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

/** Settings that the gateway and the service on Nest's own Kafka transport share. */
export interface NestKafka {
  brokers: string[];
  /** Nest uses the pattern as the topic. */
  pattern: string;
}

export interface RetrieveProfile {
  workspaceId: string;
  userId: string;
}

/** Nest's name for the topic of a pattern's answers. */
export const replyTopicOf = (pattern: string): string => `${pattern}.reply`;

// Start-up logs of Nest and its client would mix with the report.
Logger.overrideLogger(['error', 'fatal']);

/** Only the required settings; everything else is Nest's default. */
export const clientOf = (role: 'gateway' | 'service', { brokers, pattern }: NestKafka) => ({
  client: { brokers, clientId: `bench-nest-${role}` },
  consumer: { groupId: pattern },
});
