import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROVISIONED_ROLES, type ProvisionedRole } from '@tidings/persistence/provision';

const PASSWORD_BYTES = 32;
const OWNER_ONLY = 0o600;
const FILE = 'role-passwords.json';

/** Passwords of the services' database roles: generated at the first start, and stored in a file readable by its owner only. */
export async function rolePasswords(directory: string): Promise<Record<ProvisionedRole, string>> {
  const file = path.join(directory, FILE);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new Error(`The database passwords in ${file} cannot be read: ${error.message}`, { cause: error });
  });
  const stored = parse(file, text);
  const passwords = Object.fromEntries(
    PROVISIONED_ROLES.map((role) => [role, stored[role] ?? randomBytes(PASSWORD_BYTES).toString('base64url')]),
  ) as Record<ProvisionedRole, string>;
  await writeFile(file, `${JSON.stringify(passwords, null, 2)}\n`, { mode: OWNER_ONLY });
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
