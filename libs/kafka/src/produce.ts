import type { Kafka, Message, Producer, ProducerConfig, TopicMessages } from 'kafkajs';

/** Connects a producer that leaves retries to its caller. @throws what kafkajs throws. */
export async function connectProducer(kafka: Kafka, config: ProducerConfig): Promise<Producer> {
  const producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 }, ...config });
  try {
    await producer.connect();
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
