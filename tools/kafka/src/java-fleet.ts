import { join } from 'node:path';
import { classArchive } from './class-archive';
import { type ClusterPlan, homeOf } from './cluster-plan';
import { findEngine } from './engine';
import { type BrokerProperties, type Fleet, type FleetOptions, propertiesOf } from './fleet';
import { JavaBroker, type JavaKafka } from './java-broker';
import { fetchJars } from './kafka-jars';
import { formatParameters, jvmOptions, type ListenerSecurity } from './listener-security';
import { OWNER_ONLY, writeServerProperties } from './server-properties';

/** Brokers as Java processes. */
export class JavaFleet implements Fleet {
  readonly brokers: JavaBroker[];
  private kafka?: Promise<JavaKafka>;

  constructor(
    directory: string,
    private readonly plan: ClusterPlan,
    options: FleetOptions,
  ) {
    const kafka = (): Promise<JavaKafka> => (this.kafka ??= findKafka(plan.heapMb, options));
    this.brokers = plan.ports.map((_, index) => new JavaBroker(index + 1, kafka, homeOf(directory, index + 1)));
  }

  async prepare(security: ListenerSecurity, properties: BrokerProperties): Promise<void> {
    await Promise.all(
      this.brokers.map((broker) => {
        const { id, home } = broker;
        const layout = { listenHost: '127.0.0.1', hostOf: () => '127.0.0.1', data: join(home, 'data'), home, modes: OWNER_ONLY };
        writeServerProperties(home, id, this.plan, layout, security, propertiesOf(id, properties));
        broker.setOptions(jvmOptions(security));
        return broker.format(this.plan.clusterId, layout.data, formatParameters(security));
      }),
    );
  }

  async remove(): Promise<void> {
    await Promise.all(this.brokers.map((broker) => broker.kill()));
  }
}

/** Java, jars and class archive for brokers. The first call fetches and creates what is missing, which is slow. */
async function findKafka(heapMb: number, options: FleetOptions): Promise<JavaKafka> {
  const engine = findEngine(options.environment);
  if (engine.kind !== 'java')
    throw new Error('The cluster was created with Java, and no usable Java was found: install Java, or remove the cluster');
  const library = await fetchJars(engine.maven, options);
  const archive = await classArchive(engine.java, library, options);
  return { java: engine.java, library, heapMb, options: archive ? [`-XX:SharedArchiveFile=${archive}`] : [] };
}
