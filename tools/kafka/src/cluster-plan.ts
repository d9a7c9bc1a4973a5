import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@tidings/runtime/free-port';

/** The ports of one broker on 127.0.0.1. */
export interface BrokerPorts {
  /** Port for clients. */
  client: number;
  /** Port between brokers and for status queries; always without TLS and passwords. */
  internal: number;
  controller: number;
}

/** Identity and settings of a cluster, stored beside its data, so that a later start uses the same cluster. */
export interface ClusterPlan {
  /** In the form of Kafka: 16 bytes in base64url. */
  clusterId: string;
  engine: 'java' | 'docker';
  heapMb: number;
  /** Ports of broker `i` at index `i - 1`. */
  ports: BrokerPorts[];
}

const PORT_ATTEMPTS_MAX = 200;

/** Plans a cluster on free ports. `port` is the preferred client port of the first broker; the other brokers prefer the next ones. */
export async function draftPlan(engine: ClusterPlan['engine'], brokers: number, heapMb: number, port?: number): Promise<ClusterPlan> {
  const used = new Set<number>();
  const next = async (wanted?: number): Promise<number> => {
    for (let attempt = 0; attempt < PORT_ATTEMPTS_MAX; attempt++) {
      const candidate = await freePort(attempt === 0 ? wanted : undefined);
      if (used.has(candidate)) continue;
      used.add(candidate);
      return candidate;
    }
    throw new Error(`No free ports on 127.0.0.1 for ${brokers} brokers after ${PORT_ATTEMPTS_MAX} attempts`);
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
  writeFileSync(draft, `${JSON.stringify(plan, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, fileOf(directory));
}

/** Removes the files of this cluster from its folder, then the folder if it is empty and `retainDirectory` is false. */
export function removeFiles(directory: string, { ports }: ClusterPlan, { retainDirectory }: { retainDirectory: boolean }): void {
  rmSync(fileOf(directory), { force: true });
  ports.forEach((_, index) => rmSync(homeOf(directory, index + 1), { recursive: true, force: true }));
  if (!retainDirectory) removeIfEmpty(directory);
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
