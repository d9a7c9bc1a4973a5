import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { EventLog } from '@tidings/events/event-log';
import { KafkaEventLog } from '@tidings/events/kafka/kafka-event-log';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { freePort } from '@tidings/testing/free-port';
import { sharedTestKafka, TEST_TOPICS } from '@tidings/testing/kafka';
import { launchedReplication } from '@tidings/runtime/kafka-configuration';
import { freeze, isRunning } from '@tidings/runtime/process-table';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient } from './api-client';
import { type AppName, Installation, type Topology } from './installation';
import { sampleOf } from './prometheus';
import type { Program } from './program';
import { showOutputOnFailure } from './failure-output';

/** Start timeout in ms beside other suites; a start includes the recovery after kill -9. */
const START_TIMEOUT_MS = 240_000;
const READY_POLL_MS = 25;
const SECOND_KEY = /API key \(second\)\s+(\S+)/;

/** Topology of suites that do not choose one. */
export const usualTopology = (): Topology => (process.env.TIDINGS_TEST_SYSTEM === 'kafka' ? 'kafka' : 'standalone');
const APPS = ['gateway', 'identity', 'audience', 'content', 'messaging'] as const;
const APP_POLL_MS = 50;

export interface SystemOptions {
  /** Default: `TIDINGS_TEST_SYSTEM`, else `standalone`. */
  topology?: Topology;
  /** Default in the Kafka topology: the shared broker of the test run. */
  kafkaBrokers?: readonly string[];
  /** Mail server. Default: the development mailbox. */
  smtpUrl?: string;
  /** The test's own PostgreSQL, as superuser. Default: the embedded one. */
  databaseUrl?: string;
  /** Creates a second workspace; see `secondClient`. */
  seed?: boolean;
  environment?: NodeJS.ProcessEnv;
  /** Fills the data directory before the first start. */
  prepare?: (dataDirectory: string) => Promise<void>;
}

/**
 * The whole product on its own data, run as users run it. Only this class knows the number of processes; suites use the HTTP
 * interface, metrics, stop, kill and restart.
 */
export class System {
  /** The first workspace's API key. */
  readonly key = `pk_prod_${randomBytes(24).toString('base64url')}`;
  readonly client: ApiClient;
  /** Prefix of every topic and group, so that systems can share a broker. */
  readonly topicPrefix = `e2e-${randomBytes(6).toString('hex')}.`;
  readonly topology: Topology;
  private readonly installation = new Installation();
  private program!: Program;
  private earlierOutput = '';
  private readonly added: { app: AppName; program: Program; managementPort: number }[] = [];

  private constructor(
    readonly url: string,
    private readonly port: number,
    private readonly options: SystemOptions,
    readonly kafkaBrokers: readonly string[],
  ) {
    this.client = new ApiClient(url, this.key);
    this.topology = options.topology ?? usualTopology();
  }

  /** Resolves when the product is ready; ends all started processes when it does not become ready. */
  static async start(options: SystemOptions = {}): Promise<System> {
    const port = await freePort();
    const { topology = usualTopology() } = options;
    const kafkaBrokers = options.kafkaBrokers ?? (topology === 'kafka' ? (await sharedTestKafka()).brokers : []);
    const system = new System(`http://127.0.0.1:${port}`, port, options, kafkaBrokers);
    try {
      await options.prepare?.(system.installation.dataDirectory);
    } catch (error) {
      await system.installation.remove();
      throw error;
    }
    showOutputOnFailure(system);
    try {
      await system.run();
    } catch (error) {
      await system.kill();
      await system.installation.remove();
      throw error;
    }
    return system;
  }

  /** Output of the product since the first start. */
  get output(): string {
    return this.earlierOutput + this.program.output;
  }

  /** Ids of the running processes: another value means that one of them was restarted. */
  get incarnation(): string {
    return [this.program.pid, ...this.apps.map(({ pid }) => pid)].join();
  }

  get isRunning(): boolean {
    return this.program.isRunning && this.apps.every(({ pid }) => isRunning(pid));
  }

  /** Whether sends are accepted while PostgreSQL is unavailable: Kafka stores them. */
  get acceptsWithoutDatabase(): boolean {
    return this.topology === 'kafka';
  }

  /** Process and port of the embedded PostgreSQL, once it accepts connections. */
  get database(): { pid: number; port: number } | undefined {
    const note = this.installation.postgres;
    return note?.ready ? note : undefined;
  }

  /** Folder of the embedded PostgreSQL: its data and the superuser's password. */
  get postgresDirectory(): string {
    return this.installation.postgresDirectory;
  }

  /** A client of the second workspace; needs `seed`. */
  get secondClient(): ApiClient {
    const key = SECOND_KEY.exec(this.program.stdout)?.[1];
    if (!key) throw new Error('The second key was not printed: was the system started with `seed`?');
    return new ApiClient(this.url, key);
  }

  /** Kills every process of the product. Database processes stay, as after a crash. */
  async kill(): Promise<void> {
    const { apps } = this;
    await this.program.end('SIGKILL');
    for (const { pid } of apps) killIfRunning(pid);
    await waitUntil(() => apps.every(({ pid }) => !isRunning(pid)), { what: 'the end of every process' });
  }

  /**
   * Kills one of the five processes; resolves when its successor answers: how long it loads its code is the machine's
   * speed. The process is stopped (SIGSTOP) while `inspect` runs, so `inspect` sees exactly the state that the process leaves.
   */
  async killProcess(name: AppName, inspect?: () => Promise<void>): Promise<void> {
    const { pid } = this.installation.processes[name]!;
    try {
      if (inspect) await freeze(pid);
      await inspect?.();
    } finally {
      process.kill(pid, 'SIGKILL');
    }
    const isReplaced = async (): Promise<boolean> => {
      const { pid: next = pid, managementPort } = this.installation.processes[name] ?? {};
      return next !== pid && !isRunning(pid) && (await fetch(`http://127.0.0.1:${managementPort}/health/live`)).ok;
    };
    await waitUntil(isReplaced, {
      what: `another ${name}`,
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: APP_POLL_MS,
    });
  }

  /** Starts one more instance of a service beside the launcher's; resolves when it is ready. The caller ends it. */
  async addInstance(name: Exclude<AppName, 'gateway'>): Promise<Program> {
    const managementPort = await freePort();
    const program = this.installation.startApp(name, {
      ...this.environment,
      MANAGEMENT_PORT: String(managementPort),
      DATABASE_URL: this.roleUrl(name),
      KAFKA_BROKERS: this.kafkaBrokers.join(),
      KAFKA_TOPIC_PREFIX: this.topicPrefix,
      TIDINGS_KAFKA_REPLICATION: String(launchedReplication(this.kafkaBrokers)),
      TIDINGS_RPC_SECRET_FILE: this.installation.rpcSecretFile,
    });
    const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${managementPort}/health/ready`)).ok;
    try {
      await program.until(isReady, { what: `another ${name}`, timeoutMs: START_TIMEOUT_MS, intervalMs: READY_POLL_MS });
    } catch (error) {
      program.signal('SIGKILL');
      throw error;
    }
    this.added.push({ app: name, program, managementPort });
    return program;
  }

  /** Runs a command of `tidings` that reads database and broker, as messaging; resolves with its exit code and its standard output. */
  async tidings(...parameters: string[]): Promise<{ end: number | NodeJS.Signals; stdout: string; output: string }> {
    const program = this.installation.startCommand(parameters, {
      LOG_LEVEL: '',
      DATABASE_URL: this.roleUrl('messaging'),
      ...(this.topology === 'kafka' && {
        KAFKA_BROKERS: this.kafkaBrokers.join(),
        KAFKA_TOPIC_PREFIX: this.topicPrefix,
        TIDINGS_RPC_SECRET_FILE: this.installation.rpcSecretFile,
      }),
    });
    const end = await program.ended;
    return { end, stdout: program.stdout, output: program.output };
  }

  /** Starts on the same data and address, after an orderly stop unless `kill` came before. Resolves when ready. */
  async restart(): Promise<void> {
    if (this.program.isRunning) await this.endInOrder();
    this.earlierOutput += this.program.output;
    await this.run();
  }

  /** Stops the product in order and removes the data. Rejects on another exit code or a remaining process. */
  async stop(): Promise<void> {
    try {
      if (this.program.isRunning) await this.endInOrder();
    } finally {
      await this.installation.remove();
    }
  }

  /**
   * A metric summed over all processes and labels; `labels` selects samples whose label text contains it. Rejects for a metric
   * that the product does not declare.
   */
  async metrics(name: string, labels = ''): Promise<number> {
    return sampleOf(await this.metricsText(), name, labels);
  }

  /** A metric of every process of an app, by process id. */
  async metricOf(app: AppName, name: string): Promise<Map<number, number>> {
    const added = this.added.filter((instance) => instance.app === app && instance.program.isRunning);
    const instances = [
      this.installation.processes[app]!,
      ...added.map(({ program, managementPort }) => ({ pid: program.pid, managementPort })),
    ];
    const values = await Promise.all(
      instances.map(async ({ pid, managementPort }) => [pid, sampleOf(await this.metricsAt(managementPort), name)] as const),
    );
    return new Map(values);
  }

  private async metricsText(): Promise<string> {
    return [...(await this.metricsByProcess()).values()].join('\n');
  }

  /** What `/metrics` of each process shows, by its name: one of the five, or `standalone`. */
  async metricsByProcess(): Promise<Map<string, string>> {
    const ports = this.metricsPorts;
    return new Map(await Promise.all([...ports].map(async ([name, port]) => [name, await this.metricsAt(port)] as const)));
  }

  /** The ports with `/metrics`, by process. */
  get metricsPorts(): Map<string, number> {
    if (this.topology === 'standalone') return new Map([['standalone', this.port]]);
    return new Map(APPS.map((name) => [name, this.installation.processes[name]!.managementPort]));
  }

  private async metricsAt(port: number): Promise<string> {
    return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  }

  private get apps(): { pid: number; managementPort: number }[] {
    const { processes } = this.installation;
    return APPS.flatMap((name) => processes[name] ?? []);
  }

  private get environment(): NodeJS.ProcessEnv {
    const { smtpUrl, environment } = this.options;
    return { TIDINGS_API_KEY: this.key, ...(smtpUrl && { TIDINGS_SMTP_URL: smtpUrl }), ...environment };
  }

  /** Connection URL of the service role that owns the schema `role`. */
  roleUrl(role: string): string {
    const url = new URL(this.options.databaseUrl ?? `postgresql://127.0.0.1:${this.database!.port}/postgres`);
    url.username = `tidings_${role}`;
    url.password = this.installation.rolePasswords[role] ?? '';
    return url.href;
  }

  /** The event log of the product, with the rights of its owner. The caller closes it. */
  openLog(): Promise<EventLog> {
    const clientId = 'spec';
    if (this.topology === 'standalone')
      return PostgresEventLog.connect({ databaseUrl: this.roleUrl('events'), applicationName: clientId, maintenanceIntervalMs: null });
    const signing = { secrets: [readFileSync(this.installation.rpcSecretFile, 'utf8').trim()] };
    const settings = { brokers: [...this.kafkaBrokers], topicPrefix: this.topicPrefix, signing, topics: TEST_TOPICS };
    return KafkaEventLog.connect({ settings, clientId });
  }

  private async run(): Promise<void> {
    const { databaseUrl, seed } = this.options;
    this.program = this.installation.startProgram(
      {
        ...this.environment,
        PORT: String(this.port),
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
        ...(this.topology === 'kafka' && { KAFKA_BROKERS: this.kafkaBrokers.join(), KAFKA_TOPIC_PREFIX: this.topicPrefix }),
      },
      seed ? ['--seed'] : [],
      this.topology,
    );
    const isReady = async (): Promise<boolean> => (await fetch(`${this.url}/health/ready`)).ok && this.program.stdout.includes(this.key);
    await this.program.until(isReady, { what: 'readiness', timeoutMs: START_TIMEOUT_MS, intervalMs: READY_POLL_MS });
  }

  private async endInOrder(): Promise<void> {
    const end = await this.program.end('SIGTERM');
    if (end !== 0) throw new Error(`The product ended with ${end}. Output:\n${this.program.output}`);
    if (this.installation.hasRunningPostgres) throw new Error(`PostgreSQL still runs after the stop. Output:\n${this.program.output}`);
  }
}

/** Kills a process; one that has ended meanwhile is no error. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
