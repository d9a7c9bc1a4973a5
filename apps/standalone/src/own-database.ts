import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { provisionDatabase, PROVISIONED_ROLES, type ProvisionedRole } from '@tidings/persistence/provision';
import type { Configuration } from '@tidings/runtime/configuration';
import { readOwnFile, writeOwnFile } from './own-file';
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
    const postgres = await SupervisedPostgres.start(path.join(directory, 'postgres'));
    onStop('PostgreSQL', () => postgres.stop());
    adminUrl = postgres.adminUrl;
  }
  return provisionDatabase(adminUrl, { passwords: await rolePasswords(directory) });
}

/** Passwords of the services' database roles: generated at the first start, and stored in a file readable by its owner only. */
async function rolePasswords(directory: string) {
  const file = path.join(directory, 'role-passwords.json');
  const stored = parse(file, (await readOwnFile(file, 'database passwords')) || '{}');
  const passwords = Object.fromEntries(
    PROVISIONED_ROLES.map((role) => [role, stored[role] ?? randomBytes(32).toString('base64url')]),
  ) as Record<ProvisionedRole, string>;
  await writeOwnFile(file, JSON.stringify(passwords, null, 2));
  return passwords;
}

/** A file that a crash truncated counts as missing: provisioning sets the roles' passwords at every start. */
function parse(file: string, text: string): Partial<Record<ProvisionedRole, string>> {
  try {
    return JSON.parse(text) as Partial<Record<ProvisionedRole, string>>;
  } catch {
    process.emitWarning(`${file} is damaged; generating new passwords`);
    return {};
  }
}
