import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { type TopicSettings, topicSettings } from '@tidings/kafka/topic-settings';
import { launchedReplication } from '@tidings/runtime/kafka-configuration';
import type { Bench } from './bench';
import { listenerOf } from './process-table';

/** A segment of a partition's log, in a folder named by topic and partition. */
const SEGMENT = /^\d{20}\.log$/;
/** Kafka's own topics. */
const OWN_TOPIC = /^__/;
const HERE = /^(?:127\.0\.0\.1|localhost):(\d+)$/;

export interface Broker {
  /** `host:port` */
  brokers: string[];
  /** Processes of the brokers that are visible on this machine; their CPU and memory are counted. */
  pids: number[];
  /** Bytes of records in the logs of all topics, replicas each; absent where the bench did not start the brokers. */
  appendedBytes?(): number;
}

/** One real Apache Kafka for everything a bench measures: that of `KAFKA_BROKERS`, or one that the bench starts. */
export async function startBroker(bench: Bench): Promise<Broker> {
  const named = process.env.KAFKA_BROKERS?.split(',');
  const own = named ? undefined : await startOwn(bench);
  const brokers = named ?? own!.brokers;
  const pids = brokers.flatMap((broker) => listenerOf(Number(HERE.exec(broker)?.[1])) ?? []);
  if (pids.length < brokers.length)
    console.log('Some Kafka processes are not visible on this machine: their CPU and memory are not counted.');
  return { brokers, pids, appendedBytes: own?.appendedBytes };
}

/** A new secret by which the users of one log sign. */
export const signing = (): { secrets: string[] } => ({ secrets: [randomBytes(32).toString('hex')] });
/** How topics are created: a replica on each named broker, at most three. */
export const topics = ({ brokers }: Pick<Broker, 'brokers'>): TopicSettings => topicSettings({ replication: launchedReplication(brokers) });
/** A new prefix, so that users of one broker share no topics or groups. */
export const topicPrefix = (): string => `bench-${randomBytes(4).toString('hex')}.`;

async function startOwn(bench: Bench): Promise<Required<Pick<Broker, 'brokers' | 'appendedBytes'>>> {
  const directory = path.join(bench.directory(), 'kafka');
  const cluster = await KafkaCluster.start({ directory, log: console.log });
  bench.atEnd('Kafka', () => cluster.stop());
  return { brokers: cluster.brokers, appendedBytes: () => bytesOfLogs(directory) };
}

function bytesOfLogs(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  const logs = files.filter((entry) => entry.isFile() && SEGMENT.test(entry.name) && !OWN_TOPIC.test(path.basename(entry.parentPath)));
  return logs.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
}
