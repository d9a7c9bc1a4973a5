import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { SECRET_KEY_BYTES, secretKeys } from '@tidings/runtime/environment-values';
import { ownSecret, readOwnFile } from './own-file';

const FILE = 'secret-key';
const WHAT = 'secret key';

/**
 * The keys of an installation's stored secrets: those of `TIDINGS_SECRET_KEY`, and without them a key in the data directory, drawn at the
 * first start. A drawn key stays after those of the variable: it opens what it sealed.
 * @throws Error naming the file when it holds no key.
 */
export async function ownSecretKeys(directory: string, configured: readonly Buffer[] = []): Promise<readonly Buffer[]> {
  const file = path.join(directory, FILE);
  const text =
    configured.length > 0
      ? (await readOwnFile(file, WHAT)).trim()
      : await ownSecret(file, WHAT, () => randomBytes(SECRET_KEY_BYTES).toString('base64'));
  if (!text) return configured;
  try {
    return [...configured, ...secretKeys(text)];
  } catch (error) {
    throw new Error(`The ${WHAT} in ${file} ${(error as Error).message}`, { cause: error });
  }
}
