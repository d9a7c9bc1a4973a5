import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterPlan } from './cluster-plan';
import { type ListenerSecurity, protocolOf, securityProperties } from './listener-security';

/** Hosts and folders as the broker sees them. */
export interface BrokerLayout {
  /** Interface to listen on. */
  listenHost: string;
  /** How the brokers of the cluster reach broker `id`. */
  hostOf(id: number): string;
  /** Data folder. */
  data: string;
  /** The broker's own folder. */
  home: string;
  /** Modes of the broker's own folder and of its settings. */
  modes: { folder: number; file: number };
}

/** Modes of what the broker reads as this process's own user. */
export const OWNER_ONLY = { folder: 0o700, file: 0o600 };

const REPLICAS_MAX = 3;
const MB = 1024 * 1024;

/** Writes server.properties and the files it names into a broker's folder. `more` overrides the defaults. */
export function writeServerProperties(
  folder: string,
  id: number,
  plan: ClusterPlan,
  layout: BrokerLayout,
  security: ListenerSecurity,
  more: Record<string, string>,
): void {
  mkdirSync(folder, { recursive: true, mode: layout.modes.folder });
  const properties = {
    ...addresses(id, plan, layout, security),
    ...limits(plan.ports.length),
    ...securityProperties(security, folder, layout.home),
    'log.dirs': layout.data,
    ...more,
  };
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${escaped(value)}\n`);
  writeFileSync(join(folder, 'server.properties'), lines.join(''), { mode: layout.modes.file });
}

function addresses(id: number, { ports }: ClusterPlan, layout: BrokerLayout, security: ListenerSecurity): Record<string, string> {
  const { client, internal, controller } = ports[id - 1]!;
  const voters = ports.map((one, index) => `${index + 1}@${layout.hostOf(index + 1)}:${one.controller}`);
  return {
    'process.roles': 'broker,controller',
    'node.id': String(id),
    'controller.quorum.voters': voters.join(','),
    listeners: [`CLIENT`, `INTERNAL`, `CONTROLLER`]
      .map((name, index) => `${name}://${layout.listenHost}:${[client, internal, controller][index]}`)
      .join(','),
    'advertised.listeners': `CLIENT://127.0.0.1:${client},INTERNAL://${layout.hostOf(id)}:${internal}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'INTERNAL',
    'listener.security.protocol.map': `CLIENT:${protocolOf(security)},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT`,
  };
}

/** Limits of a small broker for tests and development; replicated on up to three brokers. */
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
    // A group starts at once, without a delay for further members.
    'group.initial.rebalance.delay.ms': '0',
    // A killed broker can register again only after its old session has expired: 9 s by default.
    'broker.session.timeout.ms': '5000',
    'broker.heartbeat.interval.ms': '1000',
    'num.network.threads': '2',
    'num.io.threads': '2',
    'log.cleaner.dedupe.buffer.size': String(16 * MB),
    'log.segment.bytes': String(64 * MB),
    'log.retention.bytes': String(512 * MB),
  };
}

/** Escapes a value for java.util.Properties. */
const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replace(/^ /, '\\ ');
