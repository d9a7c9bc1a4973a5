import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tidings/testing/wait-until';
import { Kafka, logLevel } from 'kafkajs';

const SESSION_TIMEOUT_MS = 10_000;
const FETCH_WAIT_MS = 200;
const READ_MS_MAX = 60_000;

export interface TopicOptions<Payload> {
  brokers: readonly string[];
  /** Prefix of the topic's name. */
  prefix: string;
  topic: string;
  /** Called with each record, in order within a partition. */
  handle: (payload: Payload) => void;
  /** Whether all expected records were handled. */
  isComplete: () => boolean;
}

/** Reads a topic from its first record with plain kafkajs until `isComplete`, as an internal service does. */
export async function readTopic<Payload>({ brokers, prefix, topic, handle, isComplete }: TopicOptions<Payload>): Promise<void> {
  const kafka = new Kafka({ clientId: 'internal-service', brokers: [...brokers], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({
    groupId: `${prefix}internal-service-${randomUUID()}`,
    sessionTimeout: SESSION_TIMEOUT_MS,
    maxWaitTimeInMs: FETCH_WAIT_MS,
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [prefix + topic], fromBeginning: true });
    await consumer.run({
      eachBatch: async ({ batch }) => {
        for (const { value } of batch.messages) if (value) handle(JSON.parse(String(value)) as Payload);
      },
    });
    await waitUntil(isComplete, { what: `all records of ${topic}`, timeoutMs: READ_MS_MAX, intervalMs: 100 });
  } finally {
    await consumer.disconnect();
  }
}
