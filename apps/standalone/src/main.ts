import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { ConfigurationError, loadConfiguration } from '@tidings/runtime/configuration';
import { ProcessLogger } from '@tidings/runtime/logger';
import { collectProcessMetrics } from '@tidings/runtime/metrics';
import { Shutdown } from '@tidings/runtime/shutdown';
import { banner } from './banner';
import { startStandalone } from './start-standalone';

const SEED_FLAG = '--seed';

async function main(): Promise<void> {
  const unknown = process.argv.slice(2).filter((argument) => argument !== SEED_FLAG);
  if (unknown.length > 0) throw new ConfigurationError([`${unknown.join(' ')}: the only argument is ${SEED_FLAG} (two workspaces)`]);
  const configuration = loadConfiguration('standalone');
  const logger = ProcessLogger.create({ process: 'tidings', level: configuration.logLevel, format: 'lines' });
  Logger.overrideLogger(logger);
  const shutdown = new Shutdown({ logger });
  shutdown.listen();
  collectProcessMetrics();

  const interrupted = new AbortController();
  const { signal } = interrupted;
  const starting = startStandalone(configuration, { seed: process.argv.includes(SEED_FLAG), signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return undefined; // interrupted: it has stopped again what it had started
  });
  shutdown.onStop('the standalone', async () => {
    interrupted.abort();
    await (await starting)?.stop();
  });
  const standalone = await starting;
  if (!standalone || signal.aborted) return;
  process.stdout.write(`${banner(standalone.access, standalone.hasMailbox ? `${standalone.url}/dev/mailbox` : undefined)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`Tidings cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
