import type { MessageRecord } from './api-client';
import { readTopic } from './topic-reader';

interface StatusRecord {
  messageId: string;
  number: number;
  message: MessageRecord;
}

/** The record with the highest number of each message; lower ones are dropped. */
export type TopicStatuses = ReadonlyMap<string, { number: number; message: MessageRecord }>;

/** Reads `message-status` from its first record until `isComplete`, as an internal service does. */
export async function readStatusTopic(
  brokers: readonly string[],
  prefix: string,
  isComplete: (statuses: TopicStatuses) => boolean,
): Promise<TopicStatuses> {
  const statuses = new Map<string, { number: number; message: MessageRecord }>();
  const handle = ({ messageId, number, message }: StatusRecord): void => {
    if (number >= (statuses.get(messageId)?.number ?? 0)) statuses.set(messageId, { number, message });
  };
  await readTopic({ brokers, prefix, topic: 'tidings.message-status.v1', handle, isComplete: () => isComplete(statuses) });
  return statuses;
}
