import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@tidings/testing/free-port';
import { ProcessUsage, serverPid } from './process-usage';

const MAIN = path.resolve(__dirname, '../../apps/standalone/dist/main.js');
const READY_MS_MAX = 120_000;
const LOOK_MS = 50;
const STOP_MS_MAX = 60_000;
const LOG_CHARACTERS = 4_000;
/** What the caller's own set-up must not change about the product. */
const NOT_INHERITED = /^(TIDINGS_|KAFKA_|PG|DATABASE_URL$|PORT$|MANAGEMENT_PORT$|NODE_OPTIONS$|NODE_ENV$|LOG_LEVEL$)/;

export interface ProductOptions {
  /** Removed by whoever made it. */
  directory: string;
  smtpPort: number;
  /** Profiles the process and writes the profile here when it ends. */
  profileDirectory?: string;
}

/** The built standalone as users run it: a process of its own with its own PostgreSQL. */
export class Product {
  private readonly ended: Promise<void>;

  private constructor(
    readonly port: number,
    readonly key: string,
    readonly dataDirectory: string,
    /** From the process's start until `/health/ready` said yes. */
    readonly readyAfterMs: number,
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {
    this.ended = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** Starts it and resolves when it is ready; an error carries the end of its log. */
  static async start({ directory, smtpPort, profileDirectory }: ProductOptions): Promise<Product> {
    const port = await freePort();
    const key = `pk_prod_${randomBytes(24).toString('base64url')}`;
    const dataDirectory = path.join(directory, 'data');
    await mkdir(directory, { recursive: true });
    const logFile = path.join(directory, 'standalone.log');
    const log = openSync(logFile, 'a');
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name)));
    const profiling = profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
    const begunAt = performance.now();
    const child = spawn(process.execPath, [...profiling, MAIN], {
      cwd: directory,
      env: {
        ...environment,
        PORT: String(port),
        TIDINGS_DATA_DIR: dataDirectory,
        TIDINGS_API_KEY: key,
        TIDINGS_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
      },
      stdio: ['ignore', log, log],
      detached: true, // Ctrl-C is for the bench, which stops the product in order
    });
    closeSync(log);
    try {
      await untilReady(port, child);
    } catch (error) {
      await end(child, dataDirectory);
      throw new Error(`The standalone did not become ready: ${String(error)}\n${tail(logFile)}`, { cause: error });
    }
    return new Product(port, key, dataDirectory, performance.now() - begunAt, child, logFile);
  }

  /** The end of what it logged. */
  get log(): string {
    return tail(this.logFile);
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  usage(): ProcessUsage {
    return new ProcessUsage(this.child.pid!, this.dataDirectory);
  }

  /** Stops it in order. Again is the same as once. */
  async stop(): Promise<void> {
    await end(this.child, this.dataDirectory);
    await this.ended;
  }
}

async function untilReady(port: number, child: ChildProcess): Promise<void> {
  for (const until = performance.now() + READY_MS_MAX; performance.now() < until; await delay(LOOK_MS)) {
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
  throw new Error(`nothing within ${READY_MS_MAX / 1000} s`);
}

/** Asks the process to stop, kills it when it does not, and takes its PostgreSQL along in that case. */
async function end(child: ChildProcess, dataDirectory: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = new Promise<boolean>((resolve) => child.once('exit', () => resolve(true)));
    child.kill('SIGINT');
    const timeout = new AbortController();
    const inOrder = await Promise.race([exited, delay(STOP_MS_MAX, false, { signal: timeout.signal }).catch(() => true)]);
    timeout.abort();
    if (!inOrder) {
      child.kill('SIGKILL');
      await exited;
    }
  }
  const server = serverPid(dataDirectory);
  if (server !== undefined) killIfThere(server);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // It has ended and left its note.
  }
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').slice(-LOG_CHARACTERS);
}
