import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { ConfigurationError, loadConfiguration } from './configuration';
import { ProcessLogger } from './logger';
import { migrate } from './migrate';

/** `tidings migrate [--admin-url URL]`: prints what it did, or the reason of the failure, then with exit code 1. */
async function main(): Promise<void> {
  const adminUrl = adminUrlOf(process.argv.slice(2));
  const configuration = loadConfiguration('migrate', { ...process.env, ...(adminUrl && { ADMIN_DATABASE_URL: adminUrl }) });
  const logger = ProcessLogger.create({ process: 'migrate', level: configuration.logLevel });
  Logger.overrideLogger(logger);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));

  const lines = await migrate(configuration, { logger, signal: interrupted.signal });
  process.stdout.write(`${lines.join('\n')}\nThe database is ready for the services; each creates its tables at its start\n`);
}

function adminUrlOf(args: string[]): string | undefined {
  try {
    return parseArgs({ args, options: { 'admin-url': { type: 'string' } } }).values['admin-url'];
  } catch {
    // The parser's message would repeat an argument, which may be a URL with a password.
    throw new ConfigurationError(['The only argument is --admin-url URL; ADMIN_DATABASE_URL has the same effect']);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`Tidings cannot migrate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
