import { databaseText } from '@tidings/testing/database-text';
import { TEST_KAFKA_DIRECTORY } from '@tidings/testing/test-kafka-directory';
import { waitUntil } from '@tidings/testing/wait-until';
import { findEngine } from '@tidings/kafka-runner/engine';
import { Kafka, logLevel } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import type { System } from './system';

const READ_MS_MAX = 60_000;

/** What holds the data: PostgreSQL's tables and write-ahead log, and the topics of Kafka. */
export type Store = 'data files' | 'write-ahead log' | 'topics';

/** All rows of the services' tables and all log records as text, as a dump would hold them. */
export async function textAtRest(system: System): Promise<string> {
  const overKafka = system.topology === 'kafka';
  const roles = ['identity', 'audience', 'content', 'messaging', ...(overKafka ? [] : ['events'])];
  const tables = await Promise.all(roles.map((role) => databaseText(system.roleUrl(role))));
  return [...tables, ...(overKafka ? [await textOfTopics(system.kafkaBrokers, system.topicPrefix)] : [])].join('\n');
}

/** The stores of a system: `storesWith` answers these for a text that is in each of them. */
export const storesOf = ({ topology }: System): Store[] => [
  'data files',
  'write-ahead log',
  ...(topology === 'kafka' && areTopicsOnDisk() ? (['topics'] as const) : []),
];

/**
 * The stores with a file that contains the bytes of a text, for each of the texts; rows that were deleted are still in these files.
 * Topics in a container are not searched: `textAtRest` reads their records.
 */
export async function storesWith(system: System, texts: readonly string[]): Promise<Map<string, Store[]>> {
  await checkpoint(system);
  const found = new Map(texts.map((text) => [text, new Set<Store>()]));
  for (const [store, file] of await filesOf(system)) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0)); // removed meanwhile, as segments are
    for (const [text, stores] of found) if (!stores.has(store) && bytes.includes(text)) stores.add(store);
  }
  return new Map([...found].map(([text, stores]) => [text, storesOf(system).filter((store) => stores.has(store))]));
}

/** Writes all changes from PostgreSQL's memory into its data files. */
async function checkpoint({ postgresDirectory, database }: System): Promise<void> {
  const password = (await readFile(path.join(postgresDirectory, 'password'), 'utf8')).trim();
  const client = new Client({ host: '127.0.0.1', port: database!.port, user: 'postgres', password, database: 'postgres' });
  await client.connect();
  try {
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

async function filesOf(system: System): Promise<[Store, string][]> {
  const ofDatabase = await filesIn(path.join(system.postgresDirectory, 'data'));
  const ofTopics = storesOf(system).includes('topics') ? await filesIn(process.env[TEST_KAFKA_DIRECTORY]!) : [];
  return [
    ...ofDatabase.map((file): [Store, string] => [file.includes('/pg_wal/') ? 'write-ahead log' : 'data files', file]),
    ...ofTopics
      .filter((file) => file.includes(`/${system.topicPrefix}`) && file.endsWith('.log'))
      .map((file): [Store, string] => ['topics', file]),
  ];
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

const areTopicsOnDisk = (): boolean => findEngine().kind === 'java';

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
