import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { ConfigurationError } from '@tidings/runtime/configuration';
import { runCommand } from '@tidings/runtime/run-command';
import { migrate } from './migrate';
import { plan } from './plan';

/** The arguments and the environment that they add to. */
function commandLine() {
  const { 'admin-url': adminUrl, plan: planOnly = false } = argumentsOf(process.argv.slice(2));
  return { planOnly, environment: { ...process.env, ...(adminUrl && { ADMIN_DATABASE_URL: adminUrl }) } };
}

function argumentsOf(args: string[]) {
  try {
    return parseArgs({ args, options: { 'admin-url': { type: 'string' }, plan: { type: 'boolean' } } }).values;
  } catch {
    // The parser's message would repeat an argument, which may be a URL with a password.
    throw new ConfigurationError(['The arguments are --admin-url URL, whose effect ADMIN_DATABASE_URL has too, and --plan']);
  }
}

/** `tidings migrate [--admin-url URL] [--plan]` */
runCommand(
  'migrate',
  'migrate',
  () => commandLine().environment,
  ({ configuration, logger, signal }) => (commandLine().planOnly ? plan : migrate)(configuration, logger, signal),
);
