import { randomBytes } from 'node:crypto';
import { freePort } from '@tidings/testing/free-port';
import { ApiClient } from './api-client';
import { Installation } from './installation';
import { sampleOf } from './prometheus';
import type { Program } from './program';
import { shownWhenATestFails } from './failure-output';

/** Recovery after kill -9 is part of a start. */
const START_TIMEOUT_MS = 90_000;
const READY_LOOK_MS = 25;
const SECOND_KEY = /API key \(second\)\s+(\S+)/;

export interface SystemOptions {
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
  private readonly installation = new Installation();
  private program!: Program;
  private earlierOutput = '';

  private constructor(
    readonly url: string,
    private readonly port: number,
    private readonly options: SystemOptions,
  ) {
    this.client = new ApiClient(url, this.key);
  }

  /** Resolves when the product is ready. What was started is ended when it does not become so. */
  static async start(options: SystemOptions = {}): Promise<System> {
    const port = await freePort();
    const system = new System(`http://127.0.0.1:${port}`, port, options);
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
    return String(this.program.pid);
  }

  get isRunning(): boolean {
    return this.program.isRunning;
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
    await this.program.end('SIGKILL');
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
    const response = await fetch(`${this.url}/metrics`);
    return sampleOf(await response.text(), name, labels);
  }

  private async run(): Promise<void> {
    const { smtpUrl, databaseUrl, seed, environment } = this.options;
    this.program = this.installation.startProgram(
      {
        PORT: String(this.port),
        TIDINGS_API_KEY: this.key,
        ...(smtpUrl && { TIDINGS_SMTP_URL: smtpUrl }),
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
        ...environment,
      },
      seed ? ['--seed'] : [],
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
