import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { ProcessLogger } from './logger';
import { Teardown } from './teardown';

/** Limit for all stops together. */
const STOP_TIMEOUT_MS = 30_000;

/**
 * The terminal sends Ctrl-C to the process and npm passes it on, so one press arrives twice.
 * A signal counts as the second one only after this time.
 */
const SAME_SIGNAL_MS = 700;

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof SIGNALS;

interface ShutdownOptions {
  logger: ProcessLogger;
  timeoutMs?: number;
  /** Clock that separates two signals. Default: `performance.now()`. */
  now?: () => number;
}

/**
 * The orderly end of a process. Parts stop in reverse order of their start, so that no part loses its dependencies; a stop that
 * fails does not prevent the others.
 */
export class Shutdown {
  private readonly teardown = new Teardown();
  private readonly interruption = new AbortController();
  /** Aborted when the end begins, which ends a running start. */
  readonly signal: AbortSignal = this.interruption.signal;
  private start: Promise<unknown> = Promise.resolve();
  private ending?: { since: number; done: Promise<void> };
  private readonly now: () => number;

  constructor(private readonly options: ShutdownOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** Stops begin only after `start` has settled; `start` must observe `signal`. */
  waitsFor(start: Promise<unknown>) {
    this.start = start;
  }

  /** Registers `stop` for the end; it runs before those registered earlier. */
  onStop(name: string, stop: () => Promise<void> | void) {
    this.teardown.add(name, stop);
  }

  /** Ends the process in order on SIGINT, SIGTERM, SIGHUP, and on an uncaught error. A second signal ends it at once. */
  listen() {
    for (const signal of Object.keys(SIGNALS) as Signal[]) process.on(signal, () => this.onSignal(signal));
    // The log has no reader any more (a closed pipe). This is no fault of the process, and logging it would be another failing write.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
    process.on('uncaughtException', (error) => this.onFault(error));
    process.on('unhandledRejection', (reason) => this.onFault(reason));
  }

  /** Ends the process: with `code` when all parts stopped, with 1 when a stop failed or timed out. Idempotent. */
  end(reason: string, code = 0) {
    this.ending ??= { since: this.now(), done: this.run(reason, code) };
    return this.ending.done;
  }

  private onSignal(signal: Signal) {
    if (this.ending && this.now() - this.ending.since < SAME_SIGNAL_MS) return;
    if (this.ending) {
      this.options.logger.warn(`${signal} again: ending at once`, 'Shutdown');
      process.exit(SIGNALS[signal]);
    }
    void this.end(signal);
  }

  private onFault(fault: unknown) {
    this.options.logger.fatal('Uncaught error', fault, 'Shutdown');
    void this.end('uncaught error', 1);
  }

  private async run(reason: string, code: number) {
    const { logger, timeoutMs = STOP_TIMEOUT_MS } = this.options;
    logger.log(`Stopping: ${reason}`, 'Shutdown');
    this.interruption.abort(new Error('The process is ending'));
    const stopped = await withTimeout(timeoutMs, this.stopAll(code));
    if (!stopped) {
      logger.error(`${this.teardown.current ?? 'The start'} has not stopped within ${timeoutMs} ms: ending the process`, 'Shutdown');
    }
    process.exit(stopped?.value ?? 1);
  }

  private async stopAll(code: number) {
    await this.start.catch(() => undefined); // the starter reports the error
    const faults = await this.teardown.run();
    for (const { name, error } of faults) this.options.logger.error(`${name} did not stop in order`, error, 'Shutdown');
    return code === 0 && faults.length > 0 ? 1 : code;
  }
}
