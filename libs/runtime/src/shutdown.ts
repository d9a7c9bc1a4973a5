import type { LoggerService } from '@nestjs/common';
import { Teardown } from './teardown';

/** How long all stops together may take. */
const STOP_TIMEOUT_MS = 30_000;

/**
 * npm passes the terminal's Ctrl-C on to a process that the terminal has already told, so one press arrives twice.
 * A signal counts as the second one only after this time.
 */
const SAME_SIGNAL_MS = 700;

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof SIGNALS;

interface ShutdownOptions {
  logger: LoggerService;
  timeoutMs?: number;
  /** How the process ends. Default: `process.exit`. */
  exit?: (code: number) => void;
  /** By which two signals are told apart. Default: `performance.now()`. */
  now?: () => number;
}

/**
 * The orderly end of a process. What was started last stops first, so that nothing loses what it needs; a stop that fails does
 * not keep the others from stopping.
 */
export class Shutdown {
  private readonly teardown = new Teardown();
  private readonly interruption = new AbortController();
  private start: Promise<unknown> = Promise.resolve();
  private ending?: { since: number; done: Promise<void> };
  private readonly exit: (code: number) => void;
  private readonly now: () => number;

  constructor(private readonly options: ShutdownOptions) {
    this.exit = options.exit ?? ((code) => process.exit(code));
    this.now = options.now ?? (() => performance.now());
  }

  /** Aborted when the end begins: what still starts gives up. */
  get signal(): AbortSignal {
    return this.interruption.signal;
  }

  /** The end stops nothing before `start`, which heeds `signal`, is settled. */
  waitsFor(start: Promise<unknown>): void {
    this.start = start;
  }

  /** Has `stop` called at the end, before the stops that are registered already. */
  onStop(name: string, stop: () => Promise<void> | void): void {
    this.teardown.add(name, stop);
  }

  /** Ends the process in order on SIGINT, SIGTERM, SIGHUP, and on an error nobody caught. A second signal ends it at once. */
  listen(): void {
    for (const signal of Object.keys(SIGNALS) as Signal[]) process.on(signal, () => this.onSignal(signal));
    // Nobody reads the log any more (a closed pipe): that is no fault of ours, and saying so would be the next write that fails.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
    process.on('uncaughtException', (error) => this.onFault(error));
    process.on('unhandledRejection', (reason) => this.onFault(reason));
  }

  /** Ends the process: with `code` when everything stopped, with 1 when a stop failed or the time was up. Again is the same as once. */
  end(reason: string, code = 0): Promise<void> {
    this.ending ??= { since: this.now(), done: this.run(reason, code) };
    return this.ending.done;
  }

  private onSignal(signal: Signal): void {
    if (this.ending && this.now() - this.ending.since < SAME_SIGNAL_MS) return;
    if (this.ending) {
      this.options.logger.warn(`${signal} again: ending at once`, 'Shutdown');
      return this.exit(SIGNALS[signal]);
    }
    void this.end(signal);
  }

  private onFault(fault: unknown): void {
    (this.options.logger.fatal ?? this.options.logger.error).call(this.options.logger, 'An error that nobody caught', fault, 'Shutdown');
    void this.end('an error that nobody caught', 1);
  }

  private async run(reason: string, code: number): Promise<void> {
    const { logger, timeoutMs = STOP_TIMEOUT_MS } = this.options;
    logger.log(`Stopping: ${reason}`, 'Shutdown');
    this.interruption.abort(new Error('The process is ending'));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<number>((resolve) => {
      timer = setTimeout(() => {
        logger.error(`${this.teardown.current ?? 'The start'} has not stopped, and ${timeoutMs} ms are over: ending without`, 'Shutdown');
        resolve(1);
      }, timeoutMs);
    });
    const result = await Promise.race([this.stopAll(code), late]);
    clearTimeout(timer);
    this.exit(result);
  }

  private async stopAll(code: number): Promise<number> {
    await this.start.catch(() => undefined); // whoever began it says why
    const faults = await this.teardown.run();
    for (const { name, error } of faults) this.options.logger.error(`${name} did not stop in order`, error, 'Shutdown');
    return code === 0 && faults.length > 0 ? 1 : code;
  }
}
