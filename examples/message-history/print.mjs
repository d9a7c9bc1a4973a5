// Prints the events of every message as they occur. From the repository's root:
//
//   node examples/message-history/print.mjs --brokers localhost:9092 [--from-beginning] [--prefix staging.] [--group my-service]
//
// TLS, SASL, brokers and prefix may also come from the KAFKA_* variables that Tidings itself reads. Ctrl-C ends it.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';

const { env } = process;
const { values: options } = parseArgs({
  options: {
    brokers: { type: 'string', default: env.KAFKA_BROKERS ?? 'localhost:9092' },
    prefix: { type: 'string', default: env.KAFKA_TOPIC_PREFIX ?? '' },
    group: { type: 'string', default: 'message-history-printer' },
    'from-beginning': { type: 'boolean', default: false },
  },
});
const topic = `${options.prefix}tidings.message-history.v1`;
const groupId = `${options.prefix}${options.group}`;

const kafka = new Kafka({
  clientId: options.group,
  brokers: options.brokers.split(','),
  ssl: env.KAFKA_TLS_CA && {
    ca: readFileSync(env.KAFKA_TLS_CA),
    ...(env.KAFKA_TLS_CERT && { cert: readFileSync(env.KAFKA_TLS_CERT), key: readFileSync(env.KAFKA_TLS_KEY) }),
  },
  sasl: env.KAFKA_SASL_MECHANISM && {
    mechanism: env.KAFKA_SASL_MECHANISM,
    username: env.KAFKA_SASL_USERNAME,
    password: env.KAFKA_SASL_PASSWORD,
  },
  logLevel: logLevel.NOTHING,
});
// Members of one group share the partitions: of two printers each prints half. A new group starts at the end of the topic, or with
// --from-beginning at the oldest retained record; later it continues at its committed offsets.
const consumer = kafka.consumer({ groupId, sessionTimeout: 10_000, maxWaitTimeInMs: 500, allowAutoTopicCreation: false });

// The highest sequence of each message. A record may arrive twice, and a writer that was considered dead may append old records
// again: records up to the highest sequence are duplicates. A service that stores the records stores the sequence in the same
// transaction; a printer may evict the oldest messages.
const MESSAGES_CACHED_MAX = 100_000;
const highest = new Map();

function isNew(key, sequence) {
  if (sequence === undefined) return true;
  if (sequence <= (highest.get(key) ?? '')) return false; // padded with zeros, so text sorts like the numbers
  highest.delete(key); // reinserted at the end, so that the first entry is the least recently updated
  highest.set(key, sequence);
  if (highest.size > MESSAGES_CACHED_MAX) highest.delete(highest.keys().next().value);
  return true;
}

function print({ key, value, headers }) {
  if (!isNew(String(key), headers.ce_sequence?.toString())) return;
  if (value === null) return console.log(`${key}  removed`); // a tombstone: the message was deleted
  const { messageId, number, event } = JSON.parse(value);
  const { ts, type, channel, integration, recipient, reason, error_message: error } = event;
  const fields = [recipient, channel?.id, integration?.provider, reason, error];
  const details = fields.filter((text) => text && typeof text === 'string').join(' · '); // a very large field is { $ref } instead of text
  const line = `${new Date(ts).toISOString()}  ${messageId}  ${String(number).padStart(2)}  ${type.padEnd(14)}  ${details}`;
  console.log(line.trimEnd().replace(/\p{Cc}/gu, ' ')); // text of users must not control the terminal
}

async function stop(error) {
  if (error) console.error(`${error.message} (brokers ${options.brokers}, topic ${topic})`);
  await consumer.disconnect(); // finishes the current record, commits, leaves the group
  process.exit(error ? 1 : 0);
}
process.once('SIGINT', () => stop()).once('SIGTERM', () => stop());
consumer.on(consumer.events.GROUP_JOIN, () => console.error(`Reading ${topic} as group ${groupId}. Ctrl-C ends.`));
consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => restart || stop(error));

try {
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: options['from-beginning'] });
  await consumer.run({ eachMessage: async ({ message }) => print(message) }); // commits after each printed batch
} catch (error) {
  await stop(error);
}
