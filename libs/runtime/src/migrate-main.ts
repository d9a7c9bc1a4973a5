import 'reflect-metadata';
import { parseArgs } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { describeTarget } from '@tidings/persistence/connection';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';
import { provisionDatabase } from '@tidings/persistence/provision';
import { type Configuration, ConfigurationError } from './configuration';
import { retryUntilAvailable } from './retry-until-available';
import { runCommand } from './run-command';

const CONNECT_TIMEOUT_MS = 5_000;

/** Services that run as processes of their own, each with a role. Other roles belong to the embedded event log. */
const SERVICES = ['identity', 'audience', 'messaging', 'content'] as const;

function environment() {
  const adminUrl = adminUrlOf(process.argv.slice(2));
  return { ...process.env, ...(adminUrl && { ADMIN_DATABASE_URL: adminUrl }) };
}

function adminUrlOf(args: string[]) {
  try {
    return parseArgs({ args, options: { 'admin-url': { type: 'string' } } }).values['admin-url'];
  } catch {
    // The parser's message would repeat an argument, which may be a URL with a password.
    throw new ConfigurationError(['The only argument is --admin-url URL; ADMIN_DATABASE_URL has the same effect']);
  }
}

/**
 * Provisions a database for the services: a role and an empty schema for each. The services create their tables themselves, one
 * at a time, however many start concurrently. Idempotent. When `signal` aborts it, completed steps stay, and the next run does the rest.
 * @returns lines that describe what was done, without secrets.
 * @throws ConfigurationError when a role is missing and its password is not set.
 */
async function migrate({ adminDatabaseUrl, rolePasswords }: Configuration, logger: LoggerService, signal: AbortSignal) {
  const adminUrl = adminDatabaseUrl!; // required of `migrate`
  const present = await retryUntilAvailable(`PostgreSQL at ${describeTarget(adminUrl)}`, () => presentRoles(adminUrl), {
    logger,
    signal,
    timeoutMs: 60_000, // the database often starts at the same time
  });
  const missing = SERVICES.filter((service) => !present.has(roleOf(service)) && !rolePasswords[service]);
  if (missing.length > 0)
    throw new ConfigurationError(
      missing.map(
        (service) => `${service.toUpperCase()}_PASSWORD is missing: the role ${roleOf(service)} does not exist and has to be created`,
      ),
    );

  await provisionDatabase(adminUrl, { passwords: rolePasswords });
  return SERVICES.map((service) => {
    const role = roleOf(service);
    const password = rolePasswords[service] ? 'the given password' : 'its previous password';
    return `Schema ${service} belongs to role ${role}, which ${present.has(role) ? 'existed' : 'was created'} and has ${password}`;
  });
}

const roleOf = (service: string) => `tidings_${service}`;

async function presentRoles(adminUrl: string) {
  const connection = await DedicatedConnection.open({
    connectionString: adminUrl,
    application_name: 'tidings-migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  try {
    const rows = await connection.query<{ role: string }>('SELECT rolname AS role FROM pg_roles WHERE rolname = ANY ($1)', [
      SERVICES.map(roleOf),
    ]);
    return new Set(rows.map(({ role }) => role));
  } finally {
    connection.close();
  }
}

/** `tidings migrate [--admin-url URL]` */
runCommand('migrate', 'migrate', environment, async ({ configuration, logger, signal }) => [
  ...(await migrate(configuration, logger, signal)),
  'The database is ready for the services; each creates its tables at its start',
]);
