import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tidings/testing/wait-until';
import { Kafka, logLevel } from 'kafkajs';
import type { HistoryEvent } from './api-client';

const TOPIC = 'tidings.message-history.v1';
const SESSION_TIMEOUT_MS = 10_000;
const FETCH_WAIT_MS = 200;

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

/** What an internal service that reads `message-history` with plain kafkajs, from the first record on, has once it stands at the end. */
export async function readHistoryTopic(brokers: readonly string[], prefix: string, isComplete: (history: TopicHistory) => boolean) {
  const topic = prefix + TOPIC;
  const kafka = new Kafka({ clientId: 'internal-service', brokers: [...brokers], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({
    groupId: `${prefix}internal-service-${randomUUID()}`,
    sessionTimeout: SESSION_TIMEOUT_MS,
    maxWaitTimeInMs: FETCH_WAIT_MS,
  });
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
    events.set(messageId, [...(events.get(messageId) ?? []), event]);
  };
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachBatch: async ({ batch }) => {
        for (const { value } of batch.messages) take(JSON.parse(String(value)) as HistoryRecord);
      },
    });
    return await waitUntil(
      () => {
        const history: TopicHistory = { events, repeated, gaps };
        return isComplete(history) ? history : undefined;
      },
      { what: 'every history on the topic', timeoutMs: 60_000, intervalMs: 100 },
    );
  } finally {
    await consumer.disconnect();
  }
}
