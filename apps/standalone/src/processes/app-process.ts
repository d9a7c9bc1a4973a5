import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { freePort } from '@tidings/runtime/free-port';
import type { LogRelay } from './log-relay';
import type { ListedProcess } from './process-list';

/** The first pause before a process that ended is started again, and the longest, in ms. */
const RESTART_MS_FIRST = 250;
const RESTART_MS_MAX = 15_000;
/** After so long a run, in ms, an end has nothing to do with the last one. */
const STEADY_MS = 30_000;
/** Longer than a process of ours gives itself for its orderly end, in ms. */
const STOP_TIMEOUT_MS = 35_000;
/** Only this machine asks. */
const MANAGEMENT_HOST = '127.0.0.1';
const READY_LOOK_MS = 100;
const READY_ANSWER_MS = 3_000;

interface AppProcessOptions {
  name: ServiceName;
  /** The built program. */
  file: string;
  environment: NodeJS.ProcessEnv;
  relay: LogRelay;
  /** Wanted management port; another one when it is taken, and any free one when absent. */
  managementPort?: number;
  /** Told of every start. */
  onStart: (entry: ListedProcess) => void;
}

/**
 * An app in a process of its own that comes back: one that ends without being asked is started again, with growing pauses.
 * It does not outlive this process, however this one ends: it watches the channel between them.
 */
export class AppProcess {
  private readonly logger = new Logger('Processes');
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();
  private managementPort = 0;
  private startedAt = 0;
  private pauseMs = RESTART_MS_FIRST;
  private wasReady = false;
  private stopping = false;
  private failure: Error | undefined;
  private readonly killNow = (): void => void this.child?.kill('SIGKILL');

  constructor(private readonly options: AppProcessOptions) {}

  get name(): ServiceName {
    return this.options.name;
  }

  async start(): Promise<void> {
    process.once('exit', this.killNow); // a second Ctrl-C waits for nobody
    await this.run();
  }

  /**
   * Resolves when the app is ready.
   * @throws Error when it ended by itself before it was ready for the first time: it will not be otherwise the next time, unless
   * somebody took its port.
   */
  async untilReady(signal: AbortSignal): Promise<void> {
    while (!(await this.isReady())) {
      if (this.failure) throw this.failure;
      await delay(READY_LOOK_MS, undefined, { signal });
    }
    this.wasReady = true;
  }

  /** Rejects with the reason while the app is not ready. */
  async check(): Promise<void> {
    if (!(await this.isReady())) throw new Error(this.isRunning ? 'not ready' : 'does not run');
  }

  /** Ends it in order. Again is the same as once. */
  async stop(): Promise<void> {
    this.stopping = true;
    if (this.isRunning) {
      this.child!.kill('SIGTERM');
      const timeout = new AbortController();
      const late = delay(STOP_TIMEOUT_MS, true, { signal: timeout.signal }).catch(() => false);
      if (await Promise.race([this.exited.then(() => false), late])) {
        this.logger.error(`${this.name} has not ended ${STOP_TIMEOUT_MS} ms after SIGTERM and is killed`);
        this.killNow();
      }
      timeout.abort();
    }
    await this.exited; // what is done about an end is not left behind either
    process.removeListener('exit', this.killNow);
  }

  private get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  private async run(): Promise<void> {
    const { name, file, environment, relay, onStart } = this.options;
    const port = await freePort(this.managementPort || this.options.managementPort);
    if (this.stopping) return;
    this.managementPort = port;
    const child = spawn(process.execPath, [...process.execArgv, '--enable-source-maps', file], {
      env: { ...environment, MANAGEMENT_HOST, MANAGEMENT_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: the terminal's Ctrl-C is for us, and who is needed by others ends after them.
      detached: true,
    });
    this.child = child;
    this.startedAt = performance.now();
    relay.follow(name, child.stdout!);
    relay.follow(name, child.stderr!);
    this.exited = new Promise<string | number>((ended) => {
      child.once('error', (error) => ended(error.message));
      child.once('exit', (code, signal) => ended(code ?? signal ?? 'unknown'));
    }).then((end) => this.onEnd(end));
    if (child.pid !== undefined) onStart({ pid: child.pid, managementPort: port });
  }

  private async onEnd(end: string | number): Promise<void> {
    const isFinal = !this.wasReady && end === 1 && !(await this.hasLostItsPort());
    if (this.stopping) return;
    if (isFinal) {
      this.failure ??= new Error(`${this.name} cannot start; it says why above`);
      return;
    }
    if (performance.now() - this.startedAt > STEADY_MS) this.pauseMs = RESTART_MS_FIRST;
    this.logger.error(`${this.name} HAS ENDED unexpectedly (${end}) and is started again in ${this.pauseMs} ms`);
    setTimeout(() => {
      if (!this.stopping) this.run().catch((error: Error) => void this.onEnd(error.message));
    }, this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, RESTART_MS_MAX);
  }

  /** Whether somebody listens on the port that was free when it was drawn: with another one it may well start. */
  private async hasLostItsPort(): Promise<boolean> {
    return (await freePort(this.managementPort).catch(() => this.managementPort)) !== this.managementPort;
  }

  private async isReady(): Promise<boolean> {
    if (!this.isRunning) return false;
    try {
      const answer = await fetch(`http://${MANAGEMENT_HOST}:${this.managementPort}/health/ready`, {
        signal: AbortSignal.timeout(READY_ANSWER_MS),
      });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }
}
