import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@tidings/testing/free-port';
import { type Broker, topicPrefix } from './broker';
import { readProcesses, treeOf } from './process-table';
import { PROFILE_DIRECTORY } from './profile-names';
import { ProcessUsage, serverPid } from './process-usage';
import { ROOT } from './root';

/** Deployments of the product: one process, or five processes over Kafka. */
export const TOPOLOGIES = ['standalone', 'kafka'] as const;
export type Topology = (typeof TOPOLOGIES)[number];

/** Entries of the bundle, from the folder of a clone. */
const MAIN: Record<Topology, string> = { standalone: 'dist/standalone.js', kafka: 'dist/start-kafka.js' };
/** The same without the bundle: a profile names their files, and early commits have no others. */
const UNBUNDLED: Record<Topology, string> = { standalone: 'apps/standalone/dist/main.js', kafka: 'apps/standalone/dist/start-kafka.js' };
/** File in which the starter of the five processes records their pids. */
const PROCESSES_FILE = 'processes.json';
const READY_MS_MAX = 120_000;
const POLL_MS = 50;
/** Five processes stop in stages, with a limit for each stage. */
const STOP_MS_MAX = 100_000;
const LOG_CHARACTERS = 4_000;
/** Variables of the caller's environment that must not reach the product. */
const NOT_INHERITED = /^(TIDINGS_|KAFKA_|PG|DATABASE_URL$|PORT$|MANAGEMENT_PORT$|NODE_OPTIONS$|NODE_ENV$|LOG_LEVEL$)/;

export interface ProductOptions {
  /** Removed by the caller. */
  directory: string;
  /** Absent: mail goes to the product's own development mailbox. */
  smtpPort?: number;
  /** Given: five processes over this Kafka. */
  broker?: Broker;
  /** Further variables of the product. */
  environment?: NodeJS.ProcessEnv;
  /** Clone of the repository whose built product runs. Default: this one. */
  clone?: string;
  /** Profiles each process and writes the profile here when it ends. */
  profileDirectory?: string;
}

/** The built product as users run it, standalone or in five processes, with its own PostgreSQL. */
export class Product {
  private readonly ended: Promise<void>;

  private constructor(
    readonly port: number,
    readonly key: string,
    readonly dataDirectory: string,
    /** From the process's start until `/health/ready` answered 200. */
    readonly readyAfterMs: number,
    private readonly child: ChildProcess,
    private readonly logFile: string,
    private readonly broker: Broker | undefined,
  ) {
    this.ended = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** Starts the product; resolves when it is ready. @throws an error with the end of its log */
  static async start(options: ProductOptions): Promise<Product> {
    const { directory, smtpPort, broker, environment: own, clone = ROOT, profileDirectory } = options;
    const port = await freePort();
    const key = `pk_prod_${randomBytes(24).toString('base64url')}`;
    const dataDirectory = path.join(directory, 'data');
    await mkdir(directory, { recursive: true });
    const logFile = path.join(directory, 'product.log');
    const log = openSync(logFile, 'a');
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name)));
    const topology = broker ? 'kafka' : 'standalone';
    const isBundled = profileDirectory === undefined && existsSync(path.join(clone, MAIN[topology]));
    const main = (isBundled ? MAIN : UNBUNDLED)[topology];
    const startedAt = performance.now();
    const child = spawn(process.execPath, [path.join(clone, main)], {
      cwd: directory,
      env: {
        ...environment,
        ...own,
        PORT: String(port),
        TIDINGS_DATA_DIR: dataDirectory,
        TIDINGS_API_KEY: key,
        ...(smtpPort !== undefined && { TIDINGS_SMTP_URL: `smtp://127.0.0.1:${smtpPort}` }),
        ...(broker && { KAFKA_BROKERS: broker.brokers.join(','), KAFKA_TOPIC_PREFIX: topicPrefix() }),
        ...(profileDirectory !== undefined && profiling(profileDirectory)),
      },
      stdio: ['ignore', log, log],
      detached: true, // Ctrl-C is for the bench, which stops the product in order
    });
    closeSync(log);
    try {
      await untilReady(port, child);
    } catch (error) {
      await end(child, dataDirectory);
      throw new Error(`The product did not become ready: ${String(error)}\n${tail(logFile)}`, { cause: error });
    }
    return new Product(port, key, dataDirectory, performance.now() - startedAt, child, logFile, broker);
  }

  /** The end of what it logged. */
  get log(): string {
    return tail(this.logFile);
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Usage of all its processes, including the given Kafka. */
  usage(): ProcessUsage {
    const { broker, dataDirectory } = this;
    const names = this.nodeProcesses();
    return new ProcessUsage({ roots: [this.child.pid!, ...(broker?.pids ?? [])], dataDirectory, nameOf: (pid) => names.get(pid) });
  }

  /** Names of its Node processes by pid. */
  nodeProcesses(): Map<number, string> {
    if (!this.broker) return new Map([[this.child.pid!, 'standalone']]);
    const apps = Object.entries(this.recorded()).map(([name, { pid }]) => [pid, name] as const);
    return new Map([[this.child.pid!, 'starter'], ...apps]);
  }

  /** Ends the process of an app over Kafka by the signal; resolves when its starter has started it again and it is ready. */
  async restart(app: string, signal: NodeJS.Signals): Promise<void> {
    const { pid } = this.recorded()[app]!;
    process.kill(pid, signal);
    for (const until = performance.now() + READY_MS_MAX; this.recorded()[app]!.pid === pid; await delay(POLL_MS)) {
      if (performance.now() > until || !this.alive) throw new Error(`${app} was not started again:\n${this.log}`);
    }
    await untilReady(this.recorded()[app]!.managementPort, this.child);
  }

  private recorded() {
    const file = path.join(this.dataDirectory, PROCESSES_FILE);
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, { pid: number; managementPort: number }>;
  }

  /** Stops it in order. Idempotent. */
  async stop(): Promise<void> {
    await end(this.child, this.dataDirectory);
    await this.ended;
  }
}

/** Resolves when the process behind a port is ready. @throws when it has ended before, or takes too long */
export async function untilReady(port: number, child: ChildProcess): Promise<void> {
  for (const until = performance.now() + READY_MS_MAX; performance.now() < until; await delay(POLL_MS)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
    const ready = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(READY_MS_MAX) }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
    if (ready) return;
  }
  throw new Error(`not ready within ${READY_MS_MAX / 1000} s`);
}

/** Signals the process to stop; kills it and its descendants, then its PostgreSQL, when it does not. */
async function end(child: ChildProcess, dataDirectory: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = new Promise<boolean>((resolve) => child.once('exit', () => resolve(true)));
    child.kill('SIGINT');
    const timeout = new AbortController();
    const inOrder = await Promise.race([exited, delay(STOP_MS_MAX, false, { signal: timeout.signal }).catch(() => true)]);
    timeout.abort();
    if (!inOrder) {
      const tree = treeOf(readProcesses(), [child.pid!]);
      for (const { pid } of tree) signal(pid, 'SIGKILL');
      await exited;
    }
  }
  const server = serverPid(dataDirectory);
  if (server !== undefined) signal(server, 'SIGQUIT');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended; a pid file may be stale.
  }
}

/** Environment in which every Node process of the product profiles itself; a flag of Node reaches only the first. */
function profiling(directory: string): NodeJS.ProcessEnv {
  return { NODE_OPTIONS: `--require ${path.join(__dirname, 'profile-hook.js')}`, [PROFILE_DIRECTORY]: directory };
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').slice(-LOG_CHARACTERS);
}
