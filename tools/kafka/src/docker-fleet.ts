import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterPlan, homeOf } from './cluster-plan';
import { DockerBroker } from './docker-broker';
import { DockerProgram } from './docker-program';
import { type BrokerProperties, type Fleet, type FleetOptions, propertiesOf } from './fleet';
import { KAFKA_VERSION } from './kafka-jars';
import { formatParameters, type ListenerSecurity } from './listener-security';
import { writeServerProperties } from './server-properties';

const KAFKA_DIGEST = 'sha256:77e3df9054047a88b520d0cc46e16696d3b22022e1d580aeccd2632df6532837';
/** Image of the brokers, by its digest. */
export const KAFKA_IMAGE = `apache/kafka:${KAFKA_VERSION}@${KAFKA_DIGEST}`;
/** The broker's folder, with its settings, inside the container. */
const HOME = '/tidings';
/** A volume of the image, which its user may write. */
const DATA = '/var/lib/kafka/data';
/** The image's user reads the folder too. */
const MODES = { folder: 0o755, file: 0o644 };

/** Brokers as containers on their own network. Containers are created once and restarted; each stores its data. */
export class DockerFleet implements Fleet {
  readonly brokers: DockerBroker[];
  private readonly docker: DockerProgram;
  private readonly network: string;

  constructor(
    private readonly directory: string,
    private readonly plan: ClusterPlan,
    private readonly options: FleetOptions,
  ) {
    this.docker = new DockerProgram(options.environment);
    this.network = `tidings-kafka-${plan.clusterId}`;
    this.brokers = plan.ports.map((_, index) => new DockerBroker(index + 1, this.docker, this.containerOf(index + 1)));
  }

  async prepare(security: ListenerSecurity, properties: BrokerProperties): Promise<void> {
    this.options.log?.(`Running ${KAFKA_IMAGE} with Docker, which pulls it if needed …`);
    const home = homeOf(this.directory, 1);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'network'), `${this.network}\n`); // for the guard, before the network exists
    await this.docker.run('network', 'create', this.network);
    for (const { id } of this.brokers) await this.create(id, security, properties);
  }

  async remove(): Promise<void> {
    await Promise.all(this.brokers.map((broker) => broker.remove()));
    await this.docker.run('network', 'rm', this.network).catch(() => undefined); // the network may not exist
  }

  private containerOf(id: number): string {
    return `tidings-kafka-${this.plan.clusterId}-${id}`;
  }

  private async create(id: number, security: ListenerSecurity, properties: BrokerProperties): Promise<void> {
    const { clusterId, heapMb, ports } = this.plan;
    const home = homeOf(this.directory, id);
    const layout = { listenHost: '0.0.0.0', hostOf: (other: number) => this.containerOf(other), data: DATA, home: HOME, modes: MODES };
    mkdirSync(home, { recursive: true });
    writeServerProperties(home, id, this.plan, layout, security, propertiesOf(id, properties));
    writeFileSync(join(home, 'start.sh'), startScript(clusterId, formatParameters(security)));
    writeFileSync(join(home, 'container'), `${this.containerOf(id)}\n`);
    const { client, internal } = ports[id - 1]!;
    await this.docker.run(
      ...['create', '--name', this.containerOf(id), '--network', this.network],
      ...[client, internal].flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]),
      ...['--mount', `type=bind,source=${home},target=${HOME},readonly`],
      ...['--env', `KAFKA_HEAP_OPTS=-Xmx${heapMb}m`, '--env', 'KAFKA_OPTS=-XX:+ExitOnOutOfMemoryError'],
      ...['--entrypoint', '/bin/sh', KAFKA_IMAGE, `${HOME}/start.sh`],
    );
  }
}

function startScript(clusterId: string, parameters: string[]): string {
  const settings = `${HOME}/server.properties`;
  const format = ['format', '--ignore-formatted', `--cluster-id=${clusterId}`, '-c', settings, ...parameters].map(quoted).join(' ');
  return `set -e\n/opt/kafka/bin/kafka-storage.sh ${format}\nexec /opt/kafka/bin/kafka-server-start.sh ${settings}\n`;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
