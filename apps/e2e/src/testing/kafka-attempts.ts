import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { Kafka, KafkaJSProtocolError } from 'kafkajs';

const READ_MS_MAX = 15_000;
const NO_RETRY = { retries: 0 };

/** `appended`, or the type of Kafka's error. */
export async function outcomeOfAppend(kafka: Kafka, topic: string): Promise<string> {
  const producer = kafka.producer({ allowAutoTopicCreation: false, retry: NO_RETRY });
  await producer.connect();
  try {
    await producer.send({ topic, messages: [{ key: 'attempt', value: '{}' }] });
    return 'appended';
  } catch (error) {
    return typeOf(error);
  } finally {
    await producer.disconnect();
  }
}

/** `read` after the first value that is meant, or the type of Kafka's error. */
export async function outcomeOfRead(kafka: Kafka, topic: string, groupId: string, isMeant = (_value: string) => true): Promise<string> {
  const consumer = kafka.consumer({
    groupId,
    maxWaitTimeInMs: 50,
    allowAutoTopicCreation: false,
    retry: { ...NO_RETRY, restartOnFailure: () => Promise.resolve(false) },
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const outcome = new Promise<string>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => resolve(typeOf(payload.error)));
      const eachMessage = ({ message }: { message: { value: Buffer | null } }) => {
        if (isMeant(String(message.value))) resolve('read');
        return Promise.resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    const found = await withTimeout(READ_MS_MAX, outcome);
    if (!found) throw new Error(`Reading ${topic} as ${groupId} was neither refused nor had a record within ${READ_MS_MAX / 1000} s`);
    return found.value;
  } catch (error) {
    return typeOf(error);
  } finally {
    await consumer.disconnect();
  }
}

/** Of an error by Kafka, which kafkajs may have wrapped, or the name of the one that it does not keep. @throws any other error */
function typeOf(error: unknown): string {
  const { type, cause, name } = error as Partial<KafkaJSProtocolError> & { cause?: Error };
  if (type) return type;
  if (name === 'KafkaJSGroupCoordinatorNotFound') return name;
  if (cause) return typeOf(cause);
  throw error;
}
