import type { HistoryEvent } from './api-client';
import { readTopic } from './topic-reader';

interface HistoryRecord {
  messageId: string;
  number: number;
  event: HistoryEvent;
}

export interface TopicHistory {
  /** Events per message, of a consumer that drops records whose number is not above its highest. */
  events: ReadonlyMap<string, readonly HistoryEvent[]>;
  /** Number of dropped records. */
  repeated: number;
  /** Messages with a number more than one above the highest before it. */
  gaps: readonly string[];
}

/** Reads `message-history` from its first record until `isComplete`, as an internal service does. */
export async function readHistoryTopic(
  brokers: readonly string[],
  prefix: string,
  isComplete: (history: TopicHistory) => boolean,
): Promise<TopicHistory> {
  const events = new Map<string, HistoryEvent[]>();
  const highest = new Map<string, number>();
  const gaps: string[] = [];
  let repeated = 0;
  const handle = ({ messageId, number, event }: HistoryRecord): void => {
    const last = highest.get(messageId) ?? 0;
    if (number <= last) {
      repeated += 1;
      return;
    }
    if (number !== last + 1) gaps.push(messageId);
    highest.set(messageId, number);
    const earlier = events.get(messageId);
    if (earlier) earlier.push(event);
    else events.set(messageId, [event]);
  };
  const history = (): TopicHistory => ({ events, repeated, gaps });
  await readTopic({ brokers, prefix, topic: 'tidings.message-history.v1', handle, isComplete: () => isComplete(history()) });
  return history();
}
