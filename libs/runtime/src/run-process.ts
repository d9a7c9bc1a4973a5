import { Logger } from '@nestjs/common';
import { type Configuration, ConfigurationError, loadConfiguration, type ProcessName } from './configuration';
import { HealthRegistry } from './health';
import { ProcessLogger } from './logger';
import { startPlaceholderServer, startManagementServer } from './management';
import { collectProcessMetrics, type Metrics, metrics } from './metrics';
import { Shutdown } from './shutdown';
import { retryUntilAvailable } from './retry-until-available';

/** What a start is given of its process. */
export interface ProcessContext {
  readonly name: ProcessName;
  readonly configuration: Configuration;
  /** Arguments of the command line, each of which is known. */
  readonly flags: readonly string[];
  readonly health: HealthRegistry;
  /** What the door shows at `/metrics`: nothing where a management port of its own does. */
  readonly doorMetrics: Metrics | undefined;
  readonly logger: ProcessLogger;
  /** Aborted when the process is told to end: a start under way gives up. */
  readonly signal: AbortSignal;
  /** Has `stop` called at the end of the process, before the stops that are registered already. */
  readonly onStop: (name: string, stop: () => Promise<void> | void) => void;
  /** Attempts until what is needed is there; meanwhile the process is live, and readiness names what it waits for. */
  readonly waitFor: <Result>(what: string, attempt: () => Promise<Result>) => Promise<Result>;
  /** Until this is called `PORT` answers 503; afterwards it is free for the door to listen on. */
  readonly openDoor: () => void;
}

interface ProcessOptions {
  /** Has a door: answers HTTP on `PORT`, health and metrics included. */
  door?: boolean;
  /** Arguments that the command line may have, with what they mean. */
  flags?: Readonly<Record<string, string>>;
  /** Form of the log. Default: lines on a terminal, else JSON. */
  format?: 'json' | 'lines';
  /** Where log lines go. Default: the standard output. */
  destination?: { write(line: string): unknown };
  /** How long all stops together may take, in ms. */
  stopTimeoutMs?: number;
}

/**
 * Runs a process from its start to its end: checks the environment, answers probes from the beginning, starts its parts, and
 * ends them in order on a signal. A start that cannot be is said on the standard error, without a stack, and ends the process
 * with 1.
 */
export function runProcess(name: ProcessName, start: (context: ProcessContext) => Promise<void>, options: ProcessOptions = {}): void {
  let configuration: Configuration;
  let flags: string[];
  try {
    flags = knownFlags(options.flags ?? {});
    configuration = loadConfiguration(name);
  } catch (error) {
    sayCannotStart(name, error);
    process.exit(1);
  }
  const logger = ProcessLogger.create({
    process: name,
    level: configuration.logLevel,
    format: options.format,
    destination: options.destination,
  });
  Logger.overrideLogger(logger);
  const shutdown = new Shutdown({ logger, timeoutMs: options.stopTimeoutMs });
  shutdown.listen();
  endWithParent(shutdown);
  collectProcessMetrics();

  const starting = startParts({ name, configuration, flags, logger, shutdown, start, hasDoor: options.door ?? false });
  shutdown.waitsFor(starting);
  starting.catch((error: unknown) => {
    if (shutdown.signal.aborted) return; // it was told to end half-way, and gave up
    sayCannotStart(name, error);
    logger.debug(error, 'Start');
    void shutdown.end('the start failed', 1);
  });
}

interface Parts extends Pick<ProcessContext, 'name' | 'configuration' | 'flags' | 'logger'> {
  shutdown: Shutdown;
  start: (context: ProcessContext) => Promise<void>;
  hasDoor: boolean;
}

async function startParts({ shutdown, start, hasDoor, ...given }: Parts): Promise<void> {
  const { logger, configuration } = given;
  const { signal } = shutdown;
  const health = new HealthRegistry();
  signal.addEventListener('abort', () => health.markStopping());
  let state = 'starting';
  const started = health.register('start', () => Promise.reject(new Error(state)));

  const { port, managementPort, managementHost } = configuration;
  const hasManagementPort = !hasDoor || managementPort !== port;
  if (hasManagementPort) {
    const management = await startManagementServer({ port: managementPort, host: managementHost, health, metrics });
    shutdown.onStop('the management port', () => management.close());
  }
  const doorMetrics = hasManagementPort ? undefined : metrics;
  const keeper = hasDoor && port !== 0 ? await startPlaceholderServer({ port, health, metrics: doorMetrics }) : undefined;
  if (keeper) shutdown.onStop('the waiting door', () => keeper.close());

  await start({
    ...given,
    health,
    doorMetrics,
    signal,
    onStop: (part, stop) => shutdown.onStop(part, stop),
    waitFor: async (what, attempt) => {
      const result = await retryUntilAvailable(what, attempt, { signal, logger, onWait: (waiting) => (state = waiting) });
      state = 'starting';
      return result;
    },
    // The listening socket is gone when this returns; requests at work have their connections.
    openDoor: () => void keeper?.close(),
  });
  started();
}

/** A process that was started with a channel to its parent (`stdio: 'ipc'`) does not outlive it, however the parent ended. */
function endWithParent(shutdown: Shutdown): void {
  if (!process.send) return;
  const end = (): void => void shutdown.end('the process that started this one is gone');
  if (process.connected) process.once('disconnect', end);
  else end();
}

function knownFlags(known: Readonly<Record<string, string>>): string[] {
  const given = process.argv.slice(2);
  const unknown = given.filter((flag) => !Object.hasOwn(known, flag));
  if (unknown.length === 0) return given;
  const names = Object.entries(known).map(([flag, meaning]) => `${flag} (${meaning})`);
  throw new ConfigurationError([
    `${unknown.join(' ')} is not known; ${names.length > 0 ? `there is ${names.join(', ')}` : 'there are no arguments'}`,
  ]);
}

function sayCannotStart(name: ProcessName, error: unknown): void {
  const subject = name === 'standalone' ? 'Tidings' : `Tidings (${name})`;
  process.stderr.write(`${subject} cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
}
