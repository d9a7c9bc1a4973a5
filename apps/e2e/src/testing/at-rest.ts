import { waitUntil } from '@tidings/testing/wait-until';
import { Kafka, logLevel } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { System } from './system';

const READ_MS_MAX = 60_000;

/** Everything that messaging's tables and the log hold at the moment, as text: what somebody reads who has a dump. */
export async function textAtRest(system: System): Promise<string> {
  const tables = await textOfTables(system.roleUrl('messaging'));
  return system.way === 'kafka' ? `${tables}\n${await textOfTopics(system.kafkaBrokers, system.topicPrefix)}` : tables;
}

/** Of every schema that the role may read: its own, and that of the embedded log. */
async function textOfTables(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined); // the statement says it
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') and has_schema_privilege(schemaname, 'usage')
          and has_table_privilege(format('%I.%I', schemaname, tablename), 'select')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select row::text as text from ${name} row`);
      texts.push(name, ...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** Of every topic of the system, those of request and reply included. */
async function textOfTopics(brokers: readonly string[], prefix: string): Promise<string> {
  const kafka = new Kafka({ clientId: 'dump', brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  const consumer = kafka.consumer({ groupId: `${prefix}dump-${randomUUID()}`, maxWaitTimeInMs: 100 });
  await Promise.all([admin.connect(), consumer.connect()]);
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    const unread = new Map<string, bigint>();
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
        if (BigInt(high) > BigInt(low)) unread.set(`${topic}/${partition}`, BigInt(high));
    }
    const texts: string[] = [];
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({
      eachBatch: async ({ batch: { topic, partition, messages } }) => {
        for (const { key, value, offset } of messages) {
          texts.push(`${topic} ${String(key)} ${String(value)}`);
          if (BigInt(offset) + 1n >= (unread.get(`${topic}/${partition}`) ?? 0n)) unread.delete(`${topic}/${partition}`);
        }
      },
    });
    await waitUntil(() => unread.size === 0, { what: 'every record of every topic', timeoutMs: READ_MS_MAX, intervalMs: 100 });
    return texts.join('\n');
  } finally {
    await Promise.all([consumer.disconnect(), admin.disconnect()]);
  }
}
