import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { Kafka, type KafkaConfig, type logCreator, logLevel } from 'kafkajs';
import './patch-request-queue';
import type { KafkaSettings } from './settings';

/** Time limit of a request, in ms: above what a broker under load needs, below a caller's deadline. */
export const REQUEST_TIMEOUT_MS = 5_000;
const CONNECTION_TIMEOUT_MS = 3_000;
/** kafkajs' own retries within one call bridge a change of leader; the caller's deadline is longer. */
const RETRY = { initialRetryTime: 50, maxRetryTime: 500, retries: 4 };

// kafkajs logs it once for users of its version 1.
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

/** A kafkajs client of the cluster, not connected yet. `clientId` names this process in the brokers' logs and quotas. */
export function createKafkaClient(
  { brokers, tls, sasl }: Pick<KafkaSettings, 'brokers' | 'tls' | 'sasl'>,
  clientId: string,
  requestTimeout = REQUEST_TIMEOUT_MS,
): Kafka {
  return new Kafka({
    clientId,
    brokers: () => rotated(brokers),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout,
    retry: RETRY,
    ssl: tls && readTls(tls),
    sasl: sasl as KafkaConfig['sasl'],
    logLevel: logLevel.INFO,
    logCreator,
  });
}

/** kafkajs always starts with the first broker, and stays there when it connects but does not answer. */
function rotated(brokers: readonly string[]) {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

function readTls({ ca, certificate }: NonNullable<KafkaSettings['tls']>) {
  return {
    ca: [readFileSync(ca)],
    ...(certificate && { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) }),
  };
}

const logger = new Logger('Kafka');

/** kafkajs logs as errors what it retries itself, so they are logged at debug; lasting faults surface in the calls that fail. */
const logCreator: logCreator = () => {
  return ({ namespace, level, log: { message, groupId, error } }) => {
    const line = [namespace, message, groupId && `group ${String(groupId)}`, error && String(error)].filter(Boolean).join(' · ');
    if (level === logLevel.ERROR || level === logLevel.WARN) logger.debug(line);
    else logger.verbose(line);
  };
};
