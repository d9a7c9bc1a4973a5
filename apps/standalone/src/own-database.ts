import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { provisionDatabase, PROVISIONED_ROLES, type ProvisionedRole } from '@tidings/persistence/provision';
import { sealingKeyIdIn } from '@tidings/persistence/sealing';
import type { Configuration } from '@tidings/runtime/configuration';
import { readOwnFile, writeOwnFile } from './own-file';
import { SupervisedPostgres } from './supervised-postgres';

/** The services that note with which key they sealed. */
const SEALING = ['identity', 'content'] as const;

/** URLs of the roles of a database. */
export interface OwnDatabase {
  /** Through the pooler, where there is one. */
  urls: Readonly<Record<ProvisionedRole, string>>;
  /** Without a pooler. */
  directUrls: Readonly<Record<ProvisionedRole, string>>;
}

/** Provisions the database of `DATABASE_URL`, or starts an embedded PostgreSQL with its data in `directory`. */
export async function ownDatabase(
  { databaseUrl, database }: Configuration,
  directory: string,
  { onStep, onStop }: { onStep: (step: string) => void; onStop: (name: string, stop: () => Promise<void>) => void },
): Promise<OwnDatabase> {
  onStep(databaseUrl ? 'Preparing the database' : 'Starting PostgreSQL');
  let adminUrl = database.directUrl ?? databaseUrl;
  if (!adminUrl) {
    const postgres = await SupervisedPostgres.start(path.join(directory, 'postgres'));
    onStop('PostgreSQL', () => postgres.stop());
    adminUrl = postgres.adminUrl;
  }
  const directUrls = await provisionDatabase(adminUrl, { passwords: await rolePasswords(directory) });
  return { directUrls, urls: databaseUrl ? throughUrl(databaseUrl, directUrls) : directUrls };
}

/** The URLs of roles at the address of another URL. */
function throughUrl(databaseUrl: string, urls: OwnDatabase['urls']) {
  const pooled = PROVISIONED_ROLES.map((role) => {
    const { username, password } = new URL(urls[role]);
    return [role, Object.assign(new URL(databaseUrl), { username, password }).href];
  });
  return Object.fromEntries(pooled) as OwnDatabase['urls'];
}

/** Id of the secret key that sealed the database's secrets; undefined where none were sealed yet. */
export async function databaseKeyId(urls: Readonly<Record<ProvisionedRole, string>>): Promise<string | undefined> {
  for (const role of SEALING) {
    const keyId = await sealingKeyIdIn(urls[role], role);
    if (keyId !== undefined) return keyId;
  }
  return undefined;
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
