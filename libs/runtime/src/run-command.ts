import { Logger } from '@nestjs/common';
import { type Configuration, loadConfiguration, type ProcessName } from './configuration';
import { ProcessLogger } from './logger';

/** What a process that does one thing and ends provides to its work. */
export interface CommandContext {
  readonly configuration: Configuration;
  readonly logger: ProcessLogger;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/**
 * Runs a process that does one thing and ends: prints the lines that the work returns, or `Tidings cannot …` with the reason, then with
 * exit code 1. @param verb completes that sentence. @param readEnvironment with what the command line adds
 */
export function runCommand(
  name: ProcessName,
  verb: string,
  readEnvironment: () => NodeJS.ProcessEnv,
  work: (context: CommandContext) => Promise<readonly string[]>,
): void {
  run(name, readEnvironment, work).catch((error: unknown) => {
    process.stderr.write(`Tidings cannot ${verb}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
}

async function run(name: ProcessName, readEnvironment: () => NodeJS.ProcessEnv, work: Parameters<typeof runCommand>[3]) {
  const configuration = loadConfiguration(name, readEnvironment());
  const logger = ProcessLogger.create({ process: name, level: configuration.logLevel });
  Logger.overrideLogger(logger);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));
  const lines = await work({ configuration, logger, signal: interrupted.signal });
  process.stdout.write(`${lines.join('\n')}\n`);
}
