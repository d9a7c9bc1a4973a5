import type { LoggerService } from '@nestjs/common';
import { describeTarget } from '@tidings/persistence/connection';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';
import { provisionDatabase } from '@tidings/persistence/provision';
import { type Configuration, ConfigurationError } from './configuration';
import { retryUntilAvailable } from './retry-until-available';

/** How long the database may keep us waiting, in ms: it is often started at the same moment. */
const DATABASE_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Roles of the services that run as processes of their own. The others belong to the embedded event log. */
const SERVICES = ['identity', 'audience', 'messaging', 'content'] as const;

interface MigrateOptions {
  logger: LoggerService;
  /** Ends it where it stands; what was done stays, and the next run does the rest. */
  signal: AbortSignal;
  databaseTimeoutMs?: number;
}

/**
 * Makes a database ready for the services: a role and a schema for each, nothing that they hold. The tables are made by the
 * services themselves, one at a time, however many start at once. Harmless when repeated.
 * @returns what was done, in lines without secrets.
 * @throws ConfigurationError when a role is to be made and its password was not given.
 */
export async function migrate(
  { adminDatabaseUrl, rolePasswords }: Pick<Configuration, 'adminDatabaseUrl' | 'rolePasswords'>,
  { logger, signal, databaseTimeoutMs = DATABASE_TIMEOUT_MS }: MigrateOptions,
): Promise<string[]> {
  const adminUrl = adminDatabaseUrl!; // required of whoever migrates
  const present = await retryUntilAvailable(`PostgreSQL at ${describeTarget(adminUrl)}`, () => presentRoles(adminUrl), {
    logger,
    signal,
    timeoutMs: databaseTimeoutMs,
  });
  const missing = SERVICES.filter((service) => !present.has(roleOf(service)) && !rolePasswords[service]);
  if (missing.length > 0)
    throw new ConfigurationError(
      missing.map((service) => `${service.toUpperCase()}_PASSWORD is missing: the role ${roleOf(service)} is not there and has to be made`),
    );

  await provisionDatabase(adminUrl, { passwords: rolePasswords });
  return SERVICES.map((service) => {
    const role = roleOf(service);
    const password = rolePasswords[service] ? 'the password given' : 'the password it had';
    return `Schema ${service} belongs to role ${role}, which ${present.has(role) ? 'was there' : 'was made'} and has ${password}`;
  });
}

const roleOf = (service: string): string => `tidings_${service}`;

async function presentRoles(adminUrl: string): Promise<Set<string>> {
  const connection = await DedicatedConnection.open(
    { connectionString: adminUrl, application_name: 'tidings-migrate', connectionTimeoutMillis: CONNECT_TIMEOUT_MS },
    CONNECT_TIMEOUT_MS,
  );
  try {
    const rows = await connection.query<{ role: string }>('SELECT rolname AS role FROM pg_roles WHERE rolname = ANY ($1)', [
      SERVICES.map(roleOf),
    ]);
    return new Set(rows.map(({ role }) => role));
  } finally {
    connection.close();
  }
}
