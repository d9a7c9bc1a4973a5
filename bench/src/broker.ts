import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import type { Bench } from './bench';
import { listenerOf } from './process-table';

const HERE = /^(?:127\.0\.0\.1|localhost):(\d+)$/;

export interface Broker {
  /** `host:port` */
  brokers: string[];
  /** Processes of the brokers that are visible on this machine; their CPU and memory are counted. */
  pids: number[];
}

/** One real Apache Kafka for everything a bench measures: that of `KAFKA_BROKERS`, or one that the bench starts. */
export async function startBroker(bench: Bench): Promise<Broker> {
  const brokers = process.env.KAFKA_BROKERS?.split(',') ?? (await startOwn(bench));
  const pids = brokers.flatMap((broker) => listenerOf(Number(HERE.exec(broker)?.[1])) ?? []);
  if (pids.length < brokers.length)
    console.log('Some Kafka processes are not visible on this machine: their CPU and memory are not counted.');
  return { brokers, pids };
}

/** A new secret by which the users of one log sign. */
export const signing = (): { secrets: string[] } => ({ secrets: [randomBytes(32).toString('hex')] });
/** A new prefix, so that users of one broker share no topics or groups. */
export const topicPrefix = (): string => `bench-${randomBytes(4).toString('hex')}.`;

async function startOwn(bench: Bench): Promise<string[]> {
  const cluster = await KafkaCluster.start({ directory: path.join(bench.directory(), 'kafka'), log: console.log });
  bench.atEnd('Kafka', () => cluster.stop());
  return cluster.brokers;
}
