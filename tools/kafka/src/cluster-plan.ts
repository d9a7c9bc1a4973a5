import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@tidings/runtime/free-port';

/** The ports of one broker on 127.0.0.1. */
export interface BrokerPorts {
  /** What clients are told. */
  client: number;
  /** Between brokers, and for our own questions: never with TLS or passwords. */
  internal: number;
  controller: number;
}

/** What a cluster is, apart from its data; kept beside the data, so that a later start finds the same cluster. */
export interface ClusterPlan {
  /** As Kafka writes it: 16 bytes in base64url. */
  clusterId: string;
  engine: 'java' | 'docker';
  heapMb: number;
  /** Broker `i` is the one at place `i - 1`. */
  ports: BrokerPorts[];
}

const PORT_TRIES_MAX = 200;

/** A new cluster on ports that are free now. `port` is the wanted one of the first broker's clients, the next ones of the others'. */
export async function draftPlan(engine: ClusterPlan['engine'], brokers: number, heapMb: number, port?: number): Promise<ClusterPlan> {
  const taken = new Set<number>();
  const next = async (wanted?: number): Promise<number> => {
    for (let attempt = 0; attempt < PORT_TRIES_MAX; attempt++) {
      const candidate = await freePort(attempt === 0 ? wanted : undefined);
      if (taken.has(candidate)) continue;
      taken.add(candidate);
      return candidate;
    }
    throw new Error(`No ports of 127.0.0.1 were found for ${brokers} brokers in ${PORT_TRIES_MAX} tries`);
  };
  const ports: BrokerPorts[] = [];
  for (let index = 0; index < brokers; index++)
    ports.push({ client: await next(port && port + index), internal: await next(), controller: await next() });
  return { clusterId: randomBytes(16).toString('base64url'), engine, heapMb, ports };
}

const fileOf = (directory: string): string => join(directory, 'cluster.json');

/** A broker's folder within the cluster's. */
export const homeOf = (directory: string, id: number): string => join(directory, `broker-${id}`);

/** The plan of the cluster that was started in this folder, or `undefined`. */
export function readPlan(directory: string): ClusterPlan | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(directory), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as ClusterPlan;
}

export function writePlan(directory: string, plan: ClusterPlan): void {
  const draft = `${fileOf(directory)}.draft`;
  writeFileSync(draft, `${JSON.stringify(plan, undefined, 2)}\n`);
  renameSync(draft, fileOf(directory));
}

/** Removes what a cluster of this plan has in its folder, nothing else that somebody may keep there, and the folder if it is empty then. */
export function removeTraces(directory: string, { ports }: ClusterPlan, { keepDirectory }: { keepDirectory: boolean }): void {
  rmSync(fileOf(directory), { force: true });
  ports.forEach((_, index) => rmSync(homeOf(directory, index + 1), { recursive: true, force: true }));
  if (!keepDirectory) removeIfEmpty(directory);
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
