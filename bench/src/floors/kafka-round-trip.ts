import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { awaitTopicLeaders } from '@tidings/kafka/await-topic-leaders';
import { type Consumer, Kafka, logLevel, type Message, type Producer } from 'kafkajs';

/** Size with which the published figures of the recipe were measured. */
export const MESSAGE_BYTES = 1_024;
/** Header that correlates a request with its answer. */
export const CALL_HEADER = 'call';

// kafkajs reads it when the first producer is made.
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

const FETCH_WAIT_MS = 500;
const PARTITIONS = 1;
const RETRY_MS = 100;

export interface RoundTripTopics {
  brokers: string[];
  requests: string;
  replies: string;
}

/** Without the client's logging, which would be measured too; failures still reject promises. */
export function kafkaOf(brokers: string[], clientId: string): Kafka {
  return new Kafka({ brokers, clientId, logLevel: logLevel.NOTHING });
}

/** Creates topics of one partition each and resolves when each has a leader. */
export async function createTopics(brokers: string[], topics: readonly string[]): Promise<void> {
  const admin = kafkaOf(brokers, 'bench-admin').admin();
  await admin.connect();
  try {
    const wanted = topics.map((topic) => ({ topic, numPartitions: PARTITIONS, replicationFactor: 1 }));
    await admin.createTopics({ topics: wanted, waitForLeaders: false });
    await awaitTopicLeaders(admin, topics);
  } finally {
    await admin.disconnect();
  }
}

/** The sending half of the recipe: one produce in flight; messages that arrive meanwhile are the next one. No timer. */
export class OneInFlight {
  private waiting: Message[] = [];
  private sending = false;

  constructor(
    private readonly producer: Producer,
    private readonly topic: string,
    private readonly fail: (error: unknown) => void,
  ) {}

  add(message: Message): void {
    this.waiting.push(message);
    if (this.sending) return;
    this.sending = true;
    setImmediate(() => void this.drain().catch(this.fail));
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const messages = this.waiting;
      this.waiting = [];
      await this.producer.sendBatch({ acks: 1, topicMessages: [{ topic: this.topic, messages }] });
    }
    this.sending = false;
  }
}

/** The receiving half: whole batches, nothing committed, from the end of the topic. */
export async function consumeWhole(kafka: Kafka, topic: string, handle: (message: Message) => void): Promise<Consumer> {
  const consumer = kafka.consumer({ groupId: `bench-${randomUUID()}`, maxWaitTimeInMs: FETCH_WAIT_MS, minBytes: 1 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: false });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: true,
    eachBatch: async ({ batch }) => batch.messages.forEach(handle),
  });
  return consumer;
}

/** Retries until a call is answered: consumers read from the end of a topic, which they determine some time after the start. */
export async function retryUntilAnswered(call: () => Promise<boolean>, limitMs: number): Promise<void> {
  for (const until = performance.now() + limitMs; performance.now() < until; await delay(RETRY_MS)) {
    if (await call()) return;
  }
  throw new Error(`No call was answered within ${limitMs / 1000} s`);
}
