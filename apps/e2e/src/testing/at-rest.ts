import { waitUntil } from '@tidings/testing/wait-until';
import { Kafka, logLevel } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { System } from './system';

const READ_MS_MAX = 60_000;

/** All rows of messaging's tables and all log records as text, as a dump would hold them. */
export async function textAtRest(system: System): Promise<string> {
  const tables = await textOfTables(system.roleUrl('messaging'));
  const records =
    system.topology === 'kafka'
      ? await textOfTopics(system.kafkaBrokers, system.topicPrefix)
      : await textOfTables(system.roleUrl('events'));
  return `${tables}\n${records}`;
}

/** Of every table the role may read. */
async function textOfTables(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined); // the next statement rejects with it
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
