import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { freePort } from '@tidings/runtime/free-port';
import type { LogRelay } from './log-relay';

const logger = new Logger('Processes');

/** First and longest backoff before an ended process is restarted, in ms. */
const RESTART_MS_FIRST = 250;
const RESTART_MS_MAX = 15_000;
/** A run of this length, in ms, resets the backoff. */
const STEADY_MS = 30_000;
/** Longer than the time limit of an app's own shutdown, in ms. */
const STOP_TIMEOUT_MS = 35_000;
/** Probes come from this machine only. */
const MANAGEMENT_HOST = '127.0.0.1';

/** A running process of the product, for the list of processes. */
export interface ListedProcess {
  pid: number;
  /** Where it answers `/health/live`, `/health/ready` and `/metrics`. */
  managementPort: number;
}

interface AppProcessOptions {
  name: ServiceName;
  /** The built program. */
  file: string;
  environment: NodeJS.ProcessEnv;
  relay: LogRelay;
  /** Called at every start. */
  onStart: (entry: ListedProcess) => void;
}

/**
 * Runs an app in a process of its own, and restarts it with backoff when it ends unexpectedly. The app does not outlive this process,
 * however this one ends: it watches the IPC channel.
 */
export class AppProcess {
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();
  private managementPort = 0;
  private startedAt = 0;
  private backoffMs = RESTART_MS_FIRST;
  private wasReady = false;
  private stopping = false;
  private failure: Error | undefined;
  private readonly killNow = () => void this.child?.kill('SIGKILL');

  constructor(private readonly options: AppProcessOptions) {}

  get name() {
    return this.options.name;
  }

  async start() {
    process.once('exit', this.killNow); // a second Ctrl-C exits without waiting for the apps
    await this.run();
  }

  /**
   * Resolves when the app is ready.
   * @throws Error when it ended before it was ready for the first time: another start would fail alike, except after the loss of its
   * port to another process.
   */
  async untilReady(signal: AbortSignal) {
    while (!(await this.isReady())) {
      if (this.failure) throw this.failure;
      await delay(100, undefined, { signal });
    }
    this.wasReady = true;
  }

  /** Rejects with the reason while the app is not ready. */
  async check() {
    if (!(await this.isReady())) throw new Error(this.isRunning ? 'not ready' : 'does not run');
  }

  /** Stops the app in order, after `STOP_TIMEOUT_MS` by SIGKILL. Idempotent. */
  async stop() {
    this.stopping = true;
    if (this.isRunning) {
      this.child!.kill('SIGTERM');
      if (!(await withTimeout(STOP_TIMEOUT_MS, this.exited))) {
        logger.error(`${this.name} has not ended ${STOP_TIMEOUT_MS} ms after SIGTERM and is killed`);
        this.killNow();
      }
    }
    await this.exited; // includes the handling of the exit
    process.removeListener('exit', this.killNow);
  }

  private get isRunning() {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  private async run() {
    const { name, file, environment, relay, onStart } = this.options;
    const port = await freePort(this.managementPort);
    if (this.stopping) return;
    this.managementPort = port;
    const child = spawn(process.execPath, [...process.execArgv, file], {
      env: { ...environment, MANAGEMENT_HOST, MANAGEMENT_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A process group of its own: the launcher alone gets the terminal's Ctrl-C, and stops the apps in its order.
      detached: true,
    });
    this.child = child;
    this.startedAt = performance.now();
    relay.follow(name, child.stdout!);
    relay.follow(name, child.stderr!);
    this.exited = new Promise<string | number>((ended) => {
      child.once('error', (error) => ended(error.message));
      child.once('exit', (code, signal) => ended(code ?? signal ?? 'unknown'));
    }).then((reason) => this.onEnd(reason));
    if (child.pid !== undefined) onStart({ pid: child.pid, managementPort: port });
  }

  private async onEnd(reason: string | number) {
    const port = this.managementPort;
    // The port was free when it was chosen; where it is in use now, the app may start on another one.
    const isFinal = !this.wasReady && reason === 1 && (await freePort(port).catch(() => port)) === port;
    if (this.stopping) return;
    if (isFinal) {
      this.failure ??= new Error(`${this.name} cannot start: see its output above`);
      return;
    }
    if (performance.now() - this.startedAt > STEADY_MS) this.backoffMs = RESTART_MS_FIRST;
    logger.error(`${this.name} HAS ENDED unexpectedly (${reason}) and is restarted in ${this.backoffMs} ms`);
    setTimeout(() => {
      if (!this.stopping) this.run().catch((error: Error) => void this.onEnd(error.message));
    }, this.backoffMs);
    this.backoffMs = Math.min(this.backoffMs * 2, RESTART_MS_MAX);
  }

  private async isReady() {
    if (!this.isRunning) return false;
    try {
      const answer = await fetch(`http://${MANAGEMENT_HOST}:${this.managementPort}/health/ready`, {
        signal: AbortSignal.timeout(3_000),
      });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }
}
