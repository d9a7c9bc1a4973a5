import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterPlan } from './cluster-plan';
import { type ListenerSecurity, protocolOf, securityProperties } from './listener-security';

/** Where a broker sees what, seen from where it runs. */
export interface BrokerPlace {
  /** Interface to listen on. */
  listenHost: string;
  /** How the brokers of the cluster reach broker `id`. */
  hostOf(id: number): string;
  /** Where the broker keeps its data. */
  data: string;
  /** The broker's folder, as it sees it. */
  home: string;
}

const REPLICAS_MAX = 3;
const MB = 1024 * 1024;

/** Writes server.properties, with the files it names, into a broker's folder. `more` goes over what is usual here. */
export function writeServerProperties(
  folder: string,
  id: number,
  plan: ClusterPlan,
  place: BrokerPlace,
  security: ListenerSecurity,
  more: Record<string, string>,
): void {
  mkdirSync(folder, { recursive: true });
  const properties = {
    ...addresses(id, plan, place, security),
    ...limits(plan.ports.length),
    ...securityProperties(security, folder, place.home),
    'log.dirs': place.data,
    ...more,
  };
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${escaped(value)}\n`);
  writeFileSync(join(folder, 'server.properties'), lines.join(''));
}

function addresses(id: number, { ports }: ClusterPlan, place: BrokerPlace, security: ListenerSecurity): Record<string, string> {
  const { client, internal, controller } = ports[id - 1]!;
  const voters = ports.map((one, index) => `${index + 1}@${place.hostOf(index + 1)}:${one.controller}`);
  return {
    'process.roles': 'broker,controller',
    'node.id': String(id),
    'controller.quorum.voters': voters.join(','),
    listeners: [`CLIENT`, `INTERNAL`, `CONTROLLER`]
      .map((name, index) => `${name}://${place.listenHost}:${[client, internal, controller][index]}`)
      .join(','),
    'advertised.listeners': `CLIENT://127.0.0.1:${client},INTERNAL://${place.hostOf(id)}:${internal}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'INTERNAL',
    'listener.security.protocol.map': `CLIENT:${protocolOf(security)},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT`,
  };
}

/** A broker for tests and a developer's machine: replicated as far as there are brokers, and small. */
function limits(brokers: number): Record<string, string> {
  const replicas = String(Math.min(brokers, REPLICAS_MAX));
  const insync = brokers >= REPLICAS_MAX ? '2' : '1';
  return {
    'auto.create.topics.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': insync,
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '5',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': insync,
    'transaction.state.log.num.partitions': '5',
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': insync,
    'share.coordinator.state.topic.num.partitions': '5',
    // A group of one is complete at once; nobody waits for members that may still come.
    'group.initial.rebalance.delay.ms': '0',
    // A broker that was killed comes back only when its old session is over: 9 s by default.
    'broker.session.timeout.ms': '5000',
    'broker.heartbeat.interval.ms': '1000',
    'num.network.threads': '2',
    'num.io.threads': '2',
    'log.cleaner.dedupe.buffer.size': String(16 * MB),
    'log.segment.bytes': String(64 * MB),
    'log.retention.bytes': String(512 * MB),
  };
}

/** As java.util.Properties reads a value. */
const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replace(/^ /, '\\ ');
