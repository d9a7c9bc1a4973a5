import path from 'node:path';
import { provisionDatabase, type ProvisionedRole } from '@tidings/persistence/provision';
import type { Configuration } from '@tidings/runtime/configuration';
import { rolePasswords } from './role-passwords';
import { SupervisedPostgres } from './supervised-postgres';

/**
 * Provisions the database of `DATABASE_URL`, or starts an embedded PostgreSQL with its data in `directory`. Resolves with the URL of
 * each role.
 */
export async function ownDatabase(
  { databaseUrl }: Configuration,
  directory: string,
  onStop: (name: string, stop: () => Promise<void>) => void,
): Promise<Record<ProvisionedRole, string>> {
  let adminUrl = databaseUrl;
  if (!adminUrl) {
    const postgres = await SupervisedPostgres.start({ directory: path.join(directory, 'postgres'), durable: true });
    onStop('PostgreSQL', () => postgres.stop());
    adminUrl = postgres.adminUrl;
  }
  return provisionDatabase(adminUrl, { passwords: await rolePasswords(directory) });
}
