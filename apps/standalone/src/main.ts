import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { ConfigurationError, loadConfiguration } from '@tidings/runtime/configuration';
import { ProcessLogger } from '@tidings/runtime/logger';
import { collectProcessMetrics } from '@tidings/runtime/metrics';
import { Shutdown } from '@tidings/runtime/shutdown';
import { Teardown } from '@tidings/runtime/teardown';
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

  const teardown = new Teardown();
  shutdown.onStop('the standalone', async () => {
    for (const { name, error } of await teardown.run()) logger.error(`${name} did not stop in order`, error);
  });
  const standalone = await startStandalone(configuration, { seed: process.argv.includes(SEED_FLAG), teardown });
  process.stdout.write(`${banner(standalone.access, standalone.hasMailbox ? `${standalone.url}/dev/mailbox` : undefined)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`Tidings cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
