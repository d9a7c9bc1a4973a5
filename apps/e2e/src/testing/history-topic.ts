import type { HistoryEvent } from './api-client';
import { readTopic } from './topic-reader';

interface HistoryRecord {
  messageId: string;
  number: number;
  event: HistoryEvent;
}

export interface TopicHistory {
  /** Of each message what a consumer keeps that drops every record whose number is not above the highest it has. */
  events: ReadonlyMap<string, readonly HistoryEvent[]>;
  /** Records a consumer has to drop. */
  repeated: number;
  /** Messages of which a number came that is more than one above the highest before it. */
  gaps: readonly string[];
}

/** What an internal service that reads `message-history` from the first record on has once it stands at the end. */
export async function readHistoryTopic(
  brokers: readonly string[],
  prefix: string,
  isComplete: (history: TopicHistory) => boolean,
): Promise<TopicHistory> {
  const events = new Map<string, HistoryEvent[]>();
  const highest = new Map<string, number>();
  const gaps: string[] = [];
  let repeated = 0;
  const take = ({ messageId, number, event }: HistoryRecord): void => {
    const last = highest.get(messageId) ?? 0;
    if (number <= last) {
      repeated += 1;
      return;
    }
    if (number !== last + 1) gaps.push(messageId);
    highest.set(messageId, number);
    const kept = events.get(messageId);
    if (kept) kept.push(event);
    else events.set(messageId, [event]);
  };
  const history = (): TopicHistory => ({ events, repeated, gaps });
  await readTopic({ brokers, prefix, topic: 'tidings.message-history.v1', take, isComplete: () => isComplete(history()) });
  return history();
}
