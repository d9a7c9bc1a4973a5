import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { awaitTopicLeaders } from '@tidings/events/kafka/await-topic-leaders';
import { type Consumer, Kafka, logLevel, type Message, type Producer } from 'kafkajs';

/** As much as the published figures of the recipe were measured with. */
export const MESSAGE_BYTES = 1_024;
/** Where a request says which answer it waits for. */
export const CALL_HEADER = 'call';

// kafkajs reads it when the first producer is made.
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

const FETCH_WAIT_MS = 500;
const PARTITIONS = 1;
const ASK_AGAIN_MS = 100;

export interface RoundTripTopics {
  brokers: string[];
  requests: string;
  replies: string;
}

/** Chatter of the client would cost what nobody asked for; what fails comes back as a rejected promise. */
export function kafkaOf(brokers: string[], clientId: string): Kafka {
  return new Kafka({ brokers, clientId, logLevel: logLevel.NOTHING });
}

/** Makes topics of one partition each and waits until each has a leader. */
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

/** The sending half of the recipe: one produce in flight, and what comes meanwhile is the next one. No timer. */
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

/** The receiving half: whole batches, nothing committed. Messages that are there already are not read. */
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

/** Asks again and again until something answers: consumers read from the end, and the end is known some time after the start. */
export async function untilAnswered(ask: () => Promise<boolean>, limitMs: number): Promise<void> {
  for (const until = performance.now() + limitMs; performance.now() < until; await delay(ASK_AGAIN_MS)) {
    if (await ask()) return;
  }
  throw new Error(`Nobody answered within ${limitMs / 1000} s`);
}
