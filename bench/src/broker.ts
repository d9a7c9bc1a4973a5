import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import type { Bench } from './bench';
import { listenerOf } from './process-table';

const HERE = /^(?:127\.0\.0\.1|localhost):(\d+)$/;

export interface Broker {
  /** `host:port` */
  brokers: string[];
  /** Of those that run on this machine where they can be seen; their CPU and memory are counted. */
  pids: number[];
}

/** One real Apache Kafka for everything a bench measures: that of `KAFKA_BROKERS`, or one of its own. */
export async function startBroker(bench: Bench): Promise<Broker> {
  const brokers = process.env.KAFKA_BROKERS?.split(',') ?? (await startOwn(bench));
  const pids = brokers.flatMap((broker) => listenerOf(Number(HERE.exec(broker)?.[1])) ?? []);
  if (pids.length < brokers.length) console.log('Kafka has processes that cannot be seen from here: its CPU and memory are not counted.');
  return { brokers, pids };
}

/** Whoever uses the broker has topics and groups of its own. */
export const topicPrefix = (): string => `bench-${randomBytes(4).toString('hex')}.`;

async function startOwn(bench: Bench): Promise<string[]> {
  const cluster = await KafkaCluster.start({ directory: path.join(bench.directory(), 'kafka'), say: console.log });
  bench.atEnd('Kafka', () => cluster.stop());
  return cluster.brokers;
}
