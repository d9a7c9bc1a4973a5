import type { MessageRecord } from './api-client';
import { readTopic } from './topic-reader';

interface StatusRecord {
  messageId: string;
  number: number;
  message: MessageRecord;
}

/** Of each message the record with the highest number: what an internal service has that drops every lower one. */
export type TopicStatuses = ReadonlyMap<string, { number: number; message: MessageRecord }>;

/** What such a service has once it stands at the end of `message-status`. */
export async function readStatusTopic(
  brokers: readonly string[],
  prefix: string,
  isComplete: (statuses: TopicStatuses) => boolean,
): Promise<TopicStatuses> {
  const statuses = new Map<string, { number: number; message: MessageRecord }>();
  const take = ({ messageId, number, message }: StatusRecord): void => {
    if (number >= (statuses.get(messageId)?.number ?? 0)) statuses.set(messageId, { number, message });
  };
  await readTopic({ brokers, prefix, topic: 'tidings.message-status.v1', take, isComplete: () => isComplete(statuses) });
  return statuses;
}
