import type { LoggerService } from '@nestjs/common';
import { prepareSchema } from '@tidings/persistence/migrate';
import { provisionDatabase } from '@tidings/persistence/provision';
import { type Configuration, ConfigurationError } from '@tidings/runtime/configuration';
import { presentRoles } from './present-roles';
import { migrationOf, roleOf, SERVICES } from './schemas';

/**
 * Provisions a database for the services, a role and a schema for each, and migrates the schemas. Idempotent; of several that run at
 * once, one migrates a schema. When `signal` aborts it, completed steps stay, and the next run does the rest.
 * @returns lines that describe what was done, without secrets.
 * @throws ConfigurationError when a role is missing and its password is not set.
 */
export async function migrate({ adminDatabaseUrl, rolePasswords }: Configuration, logger: LoggerService, signal: AbortSignal) {
  const adminUrl = adminDatabaseUrl!; // required of `migrate`
  const present = await presentRoles(adminUrl, logger, signal);
  const missing = SERVICES.filter((service) => !present.has(roleOf(service)) && !rolePasswords[service]);
  if (missing.length > 0)
    throw new ConfigurationError(
      missing.map(
        (service) => `${service.toUpperCase()}_PASSWORD is missing: the role ${roleOf(service)} does not exist and has to be created`,
      ),
    );

  await provisionDatabase(adminUrl, { passwords: rolePasswords });
  const lines = SERVICES.map((service) => {
    const role = roleOf(service);
    const password = rolePasswords[service] ? 'the given password' : 'its previous password';
    return `Schema ${service} belongs to role ${role}, which ${present.has(role) ? 'existed' : 'was created'} and has ${password}`;
  });
  for (const service of SERVICES) {
    signal.throwIfAborted();
    logger.log(`Migrating schema "${service}"`, 'Migrations');
    const run = await prepareSchema(migrationOf(service, adminUrl));
    lines.push(run.length > 0 ? `Schema ${service} was migrated: ${run.join(', ')}` : `Schema ${service} was up to date`);
  }
  return [...lines, 'The database is ready for the services'];
}
