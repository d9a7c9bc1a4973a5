import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { Teardown } from '@tidings/runtime/teardown';
import { freePort } from '@tidings/testing/free-port';
import { sharedTestKafka, TEST_SIGNING } from '@tidings/testing/kafka';
import { launchedReplication } from '@tidings/runtime/kafka-configuration';
import { type Backend, BalancedClient, isReadyAt } from './balanced-client';
import { ownEnvironment } from './installation';
import { Program } from './program';

const READY_MS_MAX = 180_000;
const READY_POLL_MS = 50;

/** Services come first: a gateway is ready when they are. */
export const ROLES: readonly ServiceName[] = ['identity', 'audience', 'content', 'messaging', 'gateway'];

/** The folder of this version's programs. */
export const THIS_VERSION = path.resolve(__dirname, '../../../..');

interface ReplicasOptions {
  /** URL of the database for the role of a service. */
  databaseUrlOf: (service: Exclude<ServiceName, 'gateway'>) => string;
  smtpUrl: string;
  /** Default: the shared broker of the run. */
  brokers?: readonly string[];
  environment?: NodeJS.ProcessEnv;
}

/** A running process. */
export interface Replica {
  readonly role: ServiceName;
  readonly program: Program;
  /** Base URL of its management port. */
  readonly managementUrl: string;
  /** Of a gateway. */
  readonly backend?: Backend;
}

/** The product over Kafka as an orchestrator runs it: any number of processes of each role, of any version, behind a load balancer. */
export class Replicas {
  readonly key = `pk_prod_${randomBytes(24).toString('base64url')}`;
  readonly client = new BalancedClient(this.key);
  private readonly topicPrefix = `e2e-${randomBytes(6).toString('hex')}.`;
  private readonly running = new Set<Replica>();
  private readonly teardown = new Teardown();

  private constructor(
    private readonly options: ReplicasOptions,
    private readonly brokers: readonly string[],
  ) {
    this.teardown.add('the load balancer', () => this.client.close());
  }

  static async create(options: ReplicasOptions): Promise<Replicas> {
    return new Replicas(options, options.brokers ?? (await sharedTestKafka()).brokers);
  }

  /** The running processes of a role. */
  of(role: ServiceName): Replica[] {
    return [...this.running].filter((replica) => replica.role === role);
  }

  /** What all processes have printed. */
  get output(): string {
    return [...this.running].map(({ role, program }) => `--- ${role}\n${program.output}`).join('\n');
  }

  /** Starts `count` processes of every role; resolves when all are ready. */
  async startAll(count: number, folder = THIS_VERSION): Promise<void> {
    for (let n = 0; n < count; n += 1) await Promise.all(ROLES.map((role) => this.start(role, folder)));
  }

  /** Starts a process from the programs below `folder`; resolves when it is ready and gets requests. */
  async start(role: ServiceName, folder = THIS_VERSION, environment: NodeJS.ProcessEnv = {}): Promise<Replica> {
    const { options, key } = this;
    const [managementPort, port] = await Promise.all([freePort(), freePort()]);
    const managementUrl = `http://127.0.0.1:${managementPort}`;
    const program = Program.start(path.join(folder, 'bin/tidings.mjs'), {
      parameters: [role],
      environment: ownEnvironment({
        KAFKA_BROKERS: this.brokers.join(),
        KAFKA_TOPIC_PREFIX: this.topicPrefix,
        // The previous release does not know it.
        ...(folder === THIS_VERSION && { TIDINGS_KAFKA_REPLICATION: String(launchedReplication(this.brokers)) }),
        TIDINGS_RPC_SECRET: TEST_SIGNING.secrets.join(),
        MANAGEMENT_PORT: String(managementPort),
        ...(role === 'gateway' ? { PORT: String(port) } : { DATABASE_URL: options.databaseUrlOf(role) }),
        ...(role === 'identity' && { TIDINGS_API_KEY: key }),
        ...(role === 'messaging' && { TIDINGS_SMTP_URL: options.smtpUrl }),
        ...options.environment,
        ...environment,
      }),
    });
    const backend = role === 'gateway' ? { url: `http://127.0.0.1:${port}`, healthUrl: managementUrl } : undefined;
    const replica = { role, program, managementUrl, backend };
    this.running.add(replica);
    this.teardown.add(role, () => this.kill(replica));
    await program.until(() => isReadyAt(managementUrl), {
      what: `readiness of ${role}`,
      timeoutMs: READY_MS_MAX,
      intervalMs: READY_POLL_MS,
    });
    if (backend) this.client.add(backend);
    return replica;
  }

  /**
   * Starts another process and then ends this one in order (SIGTERM), as a rolling update does.
   * @throws Error when the process does not end with 0.
   */
  async replace(replica: Replica, folder = THIS_VERSION): Promise<void> {
    await this.start(replica.role, folder);
    await this.stop(replica);
  }

  /** Ends a process in order. */
  async stop(replica: Replica): Promise<void> {
    const end = await replica.program.end('SIGTERM');
    if (replica.backend) this.client.remove(replica.backend);
    this.running.delete(replica);
    if (end !== 0) throw new Error(`${replica.role} ended with ${end}. Output:\n${replica.program.output}`);
  }

  /** Ends all that runs. */
  async end(): Promise<void> {
    await this.teardown.run();
  }

  private async kill(replica: Replica) {
    if (!this.running.delete(replica) || !replica.program.isRunning) return;
    if (replica.backend) this.client.remove(replica.backend);
    await replica.program.end('SIGKILL');
  }
}
