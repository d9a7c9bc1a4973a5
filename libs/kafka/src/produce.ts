import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { Kafka, Message, Producer, ProducerConfig, TopicMessages } from 'kafkajs';
import { REQUEST_TIMEOUT_MS } from './client';

/** kafkajs times out earlier: what is still open then, it has lost. */
const LOST_MS = 2 * REQUEST_TIMEOUT_MS;

/** kafkajs has lost a request, so that it would wait forever; its connections have to be replaced. */
export class AnswerLost extends Error {
  constructor(ms: number) {
    super(`Kafka did not answer within ${ms} ms`);
  }
}

/** Resolves and rejects as `work`. @throws AnswerLost when that has not settled after `ms`. */
export async function unlessLost<Answer>(work: Promise<Answer>, ms = LOST_MS): Promise<Answer> {
  const answer = await withTimeout(ms, work);
  if (!answer) throw new AnswerLost(ms);
  return answer.value;
}

/** Connects a producer that leaves retries to its caller. @throws what kafkajs throws, AnswerLost. */
export async function connectProducer(kafka: Kafka, config: ProducerConfig): Promise<Producer> {
  const producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 }, ...config });
  try {
    await unlessLost(producer.connect());
    return producer;
  } catch (error) {
    void producer.disconnect().catch(() => undefined);
    throw error;
  }
}

/** One entry per topic, with its messages in their order. */
export function byTopic(records: readonly { topic: string; message: Message }[]): TopicMessages[] {
  const topics = new Map<string, Message[]>();
  for (const { topic, message } of records) {
    const messages = topics.get(topic);
    if (messages) messages.push(message);
    else topics.set(topic, [message]);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}
