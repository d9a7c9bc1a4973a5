import { randomBytes } from 'node:crypto';
import { freePort } from '@tidings/testing/free-port';
import { sharedTestKafka } from '@tidings/testing/kafka';
import { isRunning } from '@tidings/runtime/process-table';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient } from './api-client';
import { type AppName, Installation, type Way } from './installation';
import { sampleOf } from './prometheus';
import type { Program } from './program';
import { shownWhenATestFails } from './failure-output';

/** Guard against a start that hangs, beside other suites; recovery after kill -9 is part of a start. */
const START_TIMEOUT_MS = 240_000;
const READY_LOOK_MS = 25;
const SECOND_KEY = /API key \(second\)\s+(\S+)/;

/** How the journeys run that do not say it themselves. */
export const usualWay = (): Way => (process.env.TIDINGS_TEST_SYSTEM === 'kafka' ? 'kafka' : 'standalone');
const APPS = ['gateway', 'identity', 'audience', 'content', 'messaging'] as const;
const APP_LOOK_MS = 50;

export interface SystemOptions {
  /** Default: what `TIDINGS_TEST_SYSTEM` says, else everything in one process. */
  way?: Way;
  /** Default, where Kafka is needed: the broker that the test run shares. */
  kafkaBrokers?: readonly string[];
  /** Where mail goes. Default: the development mailbox. */
  smtpUrl?: string;
  /** A PostgreSQL of the test's own, as superuser. Default: the embedded one. */
  databaseUrl?: string;
  /** Makes a second workspace; see `secondKey`. */
  seed?: boolean;
  environment?: NodeJS.ProcessEnv;
}

/**
 * The whole product, running as its users run it, on data of its own. How many processes that takes is known here alone:
 * journeys know its HTTP interface, its numbers, and that it can be stopped, killed and started again.
 */
export class System {
  /** The first workspace's API key. */
  readonly key = `pk_prod_${randomBytes(24).toString('base64url')}`;
  readonly client: ApiClient;
  /** Stands before the name of every topic and group, so that systems share a broker. */
  readonly topicPrefix = `e2e-${randomBytes(6).toString('hex')}.`;
  readonly way: Way;
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
    this.way = options.way ?? usualWay();
  }

  /** Resolves when the product is ready. What was started is ended when it does not become so. */
  static async start(options: SystemOptions = {}): Promise<System> {
    const port = await freePort();
    const { way = usualWay() } = options;
    const kafkaBrokers = options.kafkaBrokers ?? (way === 'kafka' ? (await sharedTestKafka()).brokers : []);
    const system = new System(`http://127.0.0.1:${port}`, port, options, kafkaBrokers);
    shownWhenATestFails(system);
    try {
      await system.run();
    } catch (error) {
      await system.kill();
      await system.installation.remove();
      throw error;
    }
    return system;
  }

  /** Everything the product said since the first start. */
  get output(): string {
    return this.earlierOutput + this.program.output;
  }

  /** Identifies the running processes: another value means that one of them was started anew. */
  get incarnation(): string {
    return [this.program.pid, ...this.apps.map(({ pid }) => pid)].join();
  }

  get isRunning(): boolean {
    return this.program.isRunning && this.apps.every(({ pid }) => isRunning(pid));
  }

  /** Whether sends are accepted while PostgreSQL is away: what they are kept in is elsewhere. */
  get acceptsWithoutDatabase(): boolean {
    return this.way === 'kafka';
  }

  /** The embedded PostgreSQL's process and port, once it takes connections. */
  get database(): { pid: number; port: number } | undefined {
    const note = this.installation.postgres;
    return note?.ready ? note : undefined;
  }

  /** A client of the second workspace; needs `seed`. */
  get secondClient(): ApiClient {
    const key = SECOND_KEY.exec(this.program.stdout)?.[1];
    if (!key) throw new Error('The second key was not printed: was the system started with `seed`?');
    return new ApiClient(this.url, key);
  }

  /** Every process of ours ends now, without a chance to do anything. The database's stay, as after a crash. */
  async kill(): Promise<void> {
    const { apps } = this;
    await this.program.end('SIGKILL');
    for (const { pid } of apps) killIfThere(pid);
    await waitUntil(() => apps.every(({ pid }) => !isRunning(pid)), { what: 'the end of every process' });
  }

  /**
   * Kills one process of the five; resolves when the launcher has put another in its place. What `look` finds, in whose time the process
   * stands still, is what it leaves: it does nothing more, and nobody is in its place yet.
   */
  async killProcess(name: AppName, look?: () => Promise<void>): Promise<void> {
    const { pid } = this.installation.processes[name]!;
    if (look) process.kill(pid, 'SIGSTOP');
    try {
      await look?.();
    } finally {
      process.kill(pid, 'SIGKILL');
    }
    await waitUntil(() => !isRunning(pid) && (this.installation.processes[name]?.pid ?? pid) !== pid, {
      what: `another ${name}`,
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: APP_LOOK_MS,
    });
  }

  /** One more instance of a service beside the launcher's; resolves when it is ready. Whoever starts it ends it. */
  async addInstance(name: Exclude<AppName, 'gateway'>): Promise<Program> {
    const managementPort = await freePort();
    const program = this.installation.startApp(name, {
      ...this.environment,
      MANAGEMENT_PORT: String(managementPort),
      DATABASE_URL: this.roleUrl(name),
      KAFKA_BROKERS: this.kafkaBrokers.join(),
      KAFKA_TOPIC_PREFIX: this.topicPrefix,
    });
    const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${managementPort}/health/ready`)).ok;
    try {
      await program.until(isReady, { what: `another ${name}`, timeoutMs: START_TIMEOUT_MS, intervalMs: READY_LOOK_MS });
    } catch (error) {
      program.signal('SIGKILL');
      throw error;
    }
    this.added.push({ app: name, program, managementPort });
    return program;
  }

  /** Starts on the same data and address: after `kill` what it left, otherwise after an orderly stop. Resolves when ready. */
  async restart(): Promise<void> {
    if (this.program.isRunning) await this.endInOrder();
    this.earlierOutput += this.program.output;
    await this.run();
  }

  /** Ends everything in order and removes the data. Rejects when the product did not end well, or left a process behind. */
  async stop(): Promise<void> {
    try {
      if (this.program.isRunning) await this.endInOrder();
    } finally {
      await this.installation.remove();
    }
  }

  /**
   * The value of a metric over all processes, its labels summed up; `labels` picks those samples whose label text holds it.
   * A name that the product does not know is an error.
   */
  async metrics(name: string, labels = ''): Promise<number> {
    return sampleOf(await this.metricsText(), name, labels);
  }

  /** A metric of every process of an app, by process id. */
  async metricOf(app: AppName, name: string): Promise<Map<number, number>> {
    const added = this.added.filter((one) => one.app === app && one.program.isRunning);
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
    const ports = this.way === 'kafka' ? this.apps.map(({ managementPort }) => managementPort) : [this.port];
    return (await Promise.all(ports.map((port) => this.metricsAt(port)))).join('\n');
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

  /** The database as a service sees it that owns the schema `role`. */
  roleUrl(role: string): string {
    const url = new URL(this.options.databaseUrl ?? `postgresql://127.0.0.1:${this.database!.port}/postgres`);
    url.username = `tidings_${role}`;
    url.password = this.installation.rolePasswords[role] ?? '';
    return url.href;
  }

  private async run(): Promise<void> {
    const { databaseUrl, seed } = this.options;
    this.program = this.installation.startProgram(
      {
        ...this.environment,
        PORT: String(this.port),
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
        ...(this.way === 'kafka' && { KAFKA_BROKERS: this.kafkaBrokers.join(), KAFKA_TOPIC_PREFIX: this.topicPrefix }),
      },
      seed ? ['--seed'] : [],
      this.way,
    );
    const isReady = async (): Promise<boolean> => (await fetch(`${this.url}/health/ready`)).ok && this.program.stdout.includes(this.key);
    await this.program.until(isReady, { what: 'readiness', timeoutMs: START_TIMEOUT_MS, intervalMs: READY_LOOK_MS });
  }

  private async endInOrder(): Promise<void> {
    const end = await this.program.end('SIGTERM');
    if (end !== 0) throw new Error(`The product ended with ${end}. It said:\n${this.program.output}`);
    if (this.installation.hasRunningPostgres)
      throw new Error(`PostgreSQL still runs after the stop. The product said:\n${this.program.output}`);
  }
}

/** What ends by itself since its launcher is gone may do so at this very moment. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
