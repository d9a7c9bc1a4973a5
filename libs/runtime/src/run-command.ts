import { Logger } from '@nestjs/common';
import { type Configuration, loadConfiguration, type ProcessName } from './configuration';
import { ProcessLogger } from './logger';

/** Exit code of a wrong command line. */
const USAGE_ERROR = 2;
/** Exit code of a command that SIGINT or SIGTERM ended. */
export const INTERRUPTED = 130;

/** What a process that does one thing and ends provides to its work. */
export interface CommandContext {
  readonly configuration: Configuration;
  readonly logger: ProcessLogger;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** What a command prints at its end, and its exit code. */
export interface CommandOutcome {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/** A wrong command line; the message has the usage. */
export class UsageError extends Error {}

interface CommandOptions {
  /** Where the log goes: standard output has only the lines of the outcome where it is `stderr`. */
  readonly logTo: 'stdout' | 'stderr';
}

/**
 * Runs a process that does one thing and ends: prints the lines that the work returns, or `Tidings cannot …` with the reason, then with
 * exit code 1, or 2 for a `UsageError`. @param verb completes that sentence. @param readEnvironment with what the command line adds
 */
export function runCommand(
  name: ProcessName,
  verb: string,
  readEnvironment: () => NodeJS.ProcessEnv,
  work: (context: CommandContext) => Promise<readonly string[] | CommandOutcome>,
  options: CommandOptions = { logTo: 'stdout' },
): void {
  run(name, readEnvironment, work, options).catch((error: unknown) => {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`${isUsage ? '' : `Tidings cannot ${verb}: `}${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(isUsage ? USAGE_ERROR : 1);
  });
}

async function run(
  name: ProcessName,
  readEnvironment: () => NodeJS.ProcessEnv,
  work: Parameters<typeof runCommand>[3],
  { logTo }: CommandOptions,
) {
  const configuration = loadConfiguration(name, readEnvironment());
  const logger = ProcessLogger.create({ process: name, level: configuration.logLevel, destination: process[logTo] });
  Logger.overrideLogger(logger);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));
  const outcome = await work({ configuration, logger, signal: interrupted.signal });
  const { lines, exitCode } = 'lines' in outcome ? outcome : { lines: outcome, exitCode: 0 };
  process.exitCode = exitCode;
  process.stdout.write(`${lines.join('\n')}\n`);
}
