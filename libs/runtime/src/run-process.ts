import { Logger } from '@nestjs/common';
import { type Configuration, ConfigurationError, loadConfiguration, type ProcessName } from './configuration';
import { HealthRegistry } from './health';
import { type LoggerOptions, ProcessLogger } from './logger';
import { startPlaceholderServer, startManagementServer } from './management';
import { announceMetrics } from './announce-metrics';
import { watchCertificates } from './certificate-expiry';
import { collectProcessMetrics, type Metrics, metrics } from './metrics';
import { Shutdown } from './shutdown';
import { observeProcess } from './observe-process';
import { retryUntilAvailable } from './retry-until-available';

/** What a process provides to its start function. */
export interface ProcessContext {
  readonly name: ProcessName;
  readonly configuration: Configuration;
  /** Arguments of the command line, all of them accepted ones. */
  readonly flags: readonly string[];
  readonly health: HealthRegistry;
  /** Metrics that the HTTP server on `PORT` serves at `/metrics`; absent where a separate management port serves them. */
  readonly publicMetrics: Metrics | undefined;
  readonly logger: ProcessLogger;
  /** Aborted when the process is to end, which ends a running start. */
  readonly signal: AbortSignal;
  /** Registers `stop` for the end of the process; it runs before those registered earlier. */
  readonly onStop: (name: string, stop: () => Promise<void> | void) => void;
  /** Retries `attempt` until its dependency is available; meanwhile the process is live, and readiness names what it waits for. */
  readonly waitFor: <Result>(what: string, attempt: () => Promise<Result>) => Promise<Result>;
  /** Releases `PORT` for the HTTP server; until then a placeholder answers 503 on it. */
  readonly releasePort: () => void;
}

export interface ProcessOptions extends Pick<LoggerOptions, 'format' | 'destination'> {
  /** The process serves HTTP on `PORT`, health and metrics included. */
  servesHttp?: boolean;
  /** Accepted arguments of the command line, with their meaning. */
  flags?: Readonly<Record<string, string>>;
  /** Limit for all stops together, in ms. */
  stopTimeoutMs?: number;
}

/**
 * Runs a process from its start to its end: validates the environment, answers probes from the beginning, starts its parts, and
 * stops them in order on a signal. A failed start is reported on the standard error, without a stack, and ends the process with
 * exit code 1.
 */
export function runProcess(name: ProcessName, start: (context: ProcessContext) => Promise<void>, options: ProcessOptions = {}) {
  let configuration: Configuration;
  let flags: string[];
  try {
    flags = parseFlags(options.flags ?? {});
    configuration = loadConfiguration(name);
  } catch (error) {
    reportFailedStart(name, error);
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
  announceMetrics(name);
  watchCertificates(configuration);

  const starting = startParts({ name, configuration, flags, logger }, shutdown, start, options.servesHttp ?? false);
  shutdown.waitsFor(starting);
  starting.catch((error: unknown) => {
    if (shutdown.signal.aborted) return; // the end of the process interrupted the start
    reportFailedStart(name, error);
    logger.debug(error, 'Start');
    void shutdown.end('the start failed', 1);
  });
}

async function startParts(
  context: Pick<ProcessContext, 'name' | 'configuration' | 'flags' | 'logger'>,
  shutdown: Shutdown,
  start: (context: ProcessContext) => Promise<void>,
  servesHttp: boolean,
) {
  const { logger, configuration } = context;
  const { signal } = shutdown;
  const health = new HealthRegistry();
  signal.addEventListener('abort', () => health.markStopping());
  const flushSpans = observeProcess(context.name, configuration);
  if (flushSpans) shutdown.onStop('tracing', flushSpans);
  let state = 'starting';
  const started = health.register('start', () => Promise.reject(new Error(state)));

  const { port, host, managementPort, managementHost } = configuration;
  const hasManagementPort = !servesHttp || managementPort !== port;
  if (hasManagementPort) {
    const management = await startManagementServer({ port: managementPort, host: managementHost, health, metrics });
    shutdown.onStop('the management port', () => management.close());
  }
  const publicMetrics = hasManagementPort ? undefined : metrics;
  const placeholder = servesHttp && port !== 0 ? await startPlaceholderServer({ port, host, health, metrics: publicMetrics }) : undefined;
  if (placeholder) shutdown.onStop('the placeholder server', () => placeholder.close());

  await start({
    ...context,
    health,
    publicMetrics,
    signal,
    onStop: (part, stop) => shutdown.onStop(part, stop),
    waitFor: async (what, attempt) => {
      const result = await retryUntilAvailable(what, attempt, { signal, logger, onWait: (waiting) => (state = waiting) });
      state = 'starting';
      return result;
    },
    // The listening socket is closed when this returns; open requests keep their connections.
    releasePort: () => void placeholder?.close(),
  });
  started();
}

/** A process with a channel to its parent (`stdio: 'ipc'`) ends with that parent, however the parent ended. */
function endWithParent(shutdown: Shutdown) {
  if (!process.send) return;
  const end = () => void shutdown.end('the parent process ended');
  if (process.connected) process.once('disconnect', end);
  else end();
}

function parseFlags(accepted: Readonly<Record<string, string>>) {
  const flags = process.argv.slice(2);
  const unknown = flags.filter((flag) => !Object.hasOwn(accepted, flag));
  if (unknown.length === 0) return flags;
  const names = Object.entries(accepted).map(([flag, meaning]) => `${flag} (${meaning})`);
  throw new ConfigurationError([
    `${unknown.join(' ')} is not known; ${names.length > 0 ? `known: ${names.join(', ')}` : 'there are no arguments'}`,
  ]);
}

function reportFailedStart(name: ProcessName, error: unknown) {
  const subject = name === 'standalone' ? 'Tidings' : `Tidings (${name})`;
  process.stderr.write(`${subject} cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
}
