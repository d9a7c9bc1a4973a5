import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tidings/testing/wait-until';
import { Kafka, type KafkaConfig, logLevel } from 'kafkajs';

process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

/** Many retries: the end of a leader is detected when the session of its broker expires. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 40 };
const ALL_REPLICAS = -1;
const LEADER_TIMEOUT_MS = 30_000;

export function clientOf({ brokers }: { brokers: string[] }, more: Partial<KafkaConfig> = {}): Kafka {
  return new Kafka({ brokers, clientId: 'spec', logLevel: logLevel.NOTHING, retry: RETRY, requestTimeout: 5_000, ...more });
}

/** Creates a topic of one partition; resolves when it has a leader. */
export async function createTopic(kafka: Kafka, topic: string, replicationFactor = 1): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    // kafkajs stops waiting for leaders when the queried broker does not have the topic yet.
    await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: 1, replicationFactor }] });
    await waitUntil(
      async () => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
        return topics[0]!.partitions.some(({ leader }) => leader >= 0);
      },
      { what: `a leader of ${topic}`, timeoutMs: LEADER_TIMEOUT_MS },
    );
  } finally {
    await admin.disconnect();
  }
}

/** Resolves when all in-sync replicas have the records. */
export async function produce(kafka: Kafka, topic: string, values: string[]): Promise<void> {
  const producer = kafka.producer({ retry: RETRY });
  await producer.connect();
  try {
    await producer.send({ topic, acks: ALL_REPLICAS, messages: values.map((value) => ({ value })) });
  } finally {
    await producer.disconnect();
  }
}

/** Values of a topic up to `last`, read by a new group, without duplicates of a retrying producer. */
export async function readUntil(kafka: Kafka, topic: string, last: string): Promise<string[]> {
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100, retry: RETRY });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    const values = new Set<string>();
    await new Promise<void>((resolve, reject) => {
      // The consumer restarts by itself while the coordinator loads its groups.
      consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || reject(payload.error));
      const eachMessage = async ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
        values.add(String(message.value));
        if (values.has(last)) resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    return [...values];
  } finally {
    await consumer.disconnect();
  }
}
