import { AUDIENCE_MIGRATIONS } from '@tidings/audience/migrations/all';
import { CONTENT_MIGRATIONS } from '@tidings/content/migrations/all';
import { IDENTITY_MIGRATIONS } from '@tidings/identity/migrations/all';
import { MESSAGING_MIGRATIONS } from '@tidings/messaging/migrations/all';
import { serviceMigrations } from '@tidings/persistence/service-migrations';

/** Services that run as processes of their own, each with a role and a schema; the schema of the embedded event log is none of them. */
export const SERVICES = ['identity', 'audience', 'messaging', 'content'] as const;

/** The migrations of each schema. */
export const MIGRATIONS = {
  identity: serviceMigrations(IDENTITY_MIGRATIONS),
  audience: serviceMigrations(AUDIENCE_MIGRATIONS),
  messaging: serviceMigrations(MESSAGING_MIGRATIONS),
  content: serviceMigrations(CONTENT_MIGRATIONS),
};

/** Role that owns the schema of a service. */
export const roleOf = (service: string) => `tidings_${service}`;

/** How a schema is migrated by an administrator. */
export const migrationOf = (service: (typeof SERVICES)[number], adminUrl: string) => ({
  databaseUrl: adminUrl,
  schema: service,
  role: roleOf(service),
  migrations: MIGRATIONS[service],
});
