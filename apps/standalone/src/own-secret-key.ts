import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { SECRET_KEY_BYTES, secretKeys } from '@tidings/runtime/environment-values';
import { ownSecret, readOwnFile } from './own-file';

const FILE = 'secret-key';
const WHAT = 'secret key';

/**
 * The keys of an installation's stored secrets: those of `TIDINGS_SECRET_KEY`, and without them a key in the data directory, drawn at the
 * first start. A drawn key stays after those of the variable: it opens what it sealed.
 * @param databaseKeyId finds the id of the key that sealed the database's secrets, if any.
 * @throws Error naming the file when it holds no key, or when it is missing and the database's secrets were sealed.
 */
export async function ownSecretKeys(
  directory: string,
  configured: readonly Buffer[] = [],
  databaseKeyId: () => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<readonly Buffer[]> {
  const file = path.join(directory, FILE);
  const existing = (await readOwnFile(file, WHAT)).trim();
  if (!existing && configured.length > 0) return configured;
  if (!existing) await assertNothingSealed(file, databaseKeyId);
  const text = existing || (await ownSecret(file, WHAT, () => randomBytes(SECRET_KEY_BYTES).toString('base64')));
  try {
    return [...configured, ...secretKeys(text)];
  } catch (error) {
    throw new Error(`The ${WHAT} in ${file} ${(error as Error).message}`, { cause: error });
  }
}

/** A further key would seal new secrets beside those that nothing opens any more. */
async function assertNothingSealed(file: string, databaseKeyId: () => Promise<string | undefined>) {
  const keyId = await databaseKeyId();
  if (keyId === undefined) return;
  throw new Error(
    `The ${WHAT} in ${file} is missing, and the secrets in the database were sealed with the key ${keyId}: restore the file from a ` +
      'backup, or set TIDINGS_SECRET_KEY to that key, or to "old,new" with that key as one of them. If it is lost, set a new one: ' +
      'what was sealed then stays unreadable',
  );
}
