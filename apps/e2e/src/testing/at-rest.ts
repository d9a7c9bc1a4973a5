import { databaseText } from '@tidings/testing/database-text';
import { waitUntil } from '@tidings/testing/wait-until';
import { Kafka, logLevel } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import type { System } from './system';

const READ_MS_MAX = 60_000;

/** All rows of messaging's tables and all log records as text, as a dump would hold them. */
export async function textAtRest(system: System): Promise<string> {
  const tables = await databaseText(system.roleUrl('messaging'));
  const records =
    system.topology === 'kafka'
      ? await textOfTopics(system.kafkaBrokers, system.topicPrefix)
      : await databaseText(system.roleUrl('events'));
  return `${tables}
${records}`;
}

/** Of every topic of the system, request and reply topics included. */
async function textOfTopics(brokers: readonly string[], prefix: string): Promise<string> {
  const kafka = new Kafka({ clientId: 'dump', brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  const consumer = kafka.consumer({ groupId: `${prefix}dump-${randomUUID()}`, maxWaitTimeInMs: 100 });
  await Promise.all([admin.connect(), consumer.connect()]);
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    const remaining = new Map<string, bigint>();
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
        if (BigInt(high) > BigInt(low)) remaining.set(`${topic}/${partition}`, BigInt(high));
    }
    const texts: string[] = [];
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({
      eachBatch: async ({ batch: { topic, partition, messages } }) => {
        for (const { key, value, offset } of messages) {
          texts.push(`${topic} ${String(key)} ${String(value)}`);
          if (BigInt(offset) + 1n >= (remaining.get(`${topic}/${partition}`) ?? 0n)) remaining.delete(`${topic}/${partition}`);
        }
      },
    });
    await waitUntil(() => remaining.size === 0, { what: 'every record of every topic', timeoutMs: READ_MS_MAX, intervalMs: 100 });
    return texts.join('\n');
  } finally {
    await Promise.all([consumer.disconnect(), admin.disconnect()]);
  }
}
