import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { Kafka, type KafkaConfig, type logCreator, logLevel } from 'kafkajs';
import './calm-request-queue';
import type { KafkaSettings } from './settings';

/** The longest a request of ours may stay unanswered, in ms: above what a broker under load needs, below the patience of a caller. */
export const REQUEST_TIMEOUT_MS = 5_000;
const CONNECTION_TIMEOUT_MS = 3_000;
/** kafkajs' own retries, inside one call: they carry it over a leader's change; whoever calls has a deadline beyond. */
const RETRY = { initialRetryTime: 50, maxRetryTime: 500, retries: 4 };

// Said once by kafkajs to those who come from its first version.
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

/** A kafkajs client of the cluster; connects nothing yet. `clientId` is what the brokers' logs and quotas call us. */
export function createKafkaClient({ brokers, tls, sasl }: KafkaSettings, clientId: string, requestTimeout = REQUEST_TIMEOUT_MS): Kafka {
  return new Kafka({
    clientId,
    brokers: () => fromAnywhere(brokers),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout,
    retry: RETRY,
    ...(tls && { ssl: readTls(tls) }),
    ...(sasl && { sasl: sasl as KafkaConfig['sasl'] }),
    logLevel: logLevel.INFO,
    logCreator,
  });
}

/** kafkajs always begins with the first, and stays there when it connects but does not answer. */
function fromAnywhere(brokers: readonly string[]): string[] {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

function readTls({ ca, certificate }: NonNullable<KafkaSettings['tls']>): NonNullable<Exclude<KafkaConfig['ssl'], boolean>> {
  return {
    ca: [readFileSync(ca)],
    ...(certificate && { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) }),
  };
}

const logger = new Logger('Kafka');

/** kafkajs calls many things errors that it mends itself: they are a line for whoever looks for them. Faults surface where they matter. */
const logCreator: logCreator = () => {
  return ({ namespace, level, log: { message, groupId, error } }) => {
    const line = [namespace, message, groupId && `group ${String(groupId)}`, error && String(error)].filter(Boolean).join(' · ');
    if (level === logLevel.ERROR || level === logLevel.WARN) logger.debug(line);
    else logger.verbose(line);
  };
};
