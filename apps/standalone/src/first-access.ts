import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const KEY_BYTES = 32;
const OWNER_ONLY = 0o600;

/** The first workspace's key is kept here, readable by the owner alone, so that every start can print it. */
const KEY_FILE = 'api-key';

/**
 * The API key of the first workspace: the one that was asked for, else the one an earlier start kept, else a new one, which is kept.
 */
export async function firstKey(directory: string, wanted: string | undefined): Promise<string> {
  if (wanted) return wanted;
  const file = path.join(directory, KEY_FILE);
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new Error(`The API key in ${file} cannot be read: ${error.message}`, { cause: error });
  });
  if (kept.trim()) return kept.trim();

  const key = `pk_prod_${randomBytes(KEY_BYTES).toString('base64url')}`;
  await writeFile(file, `${key}\n`, { mode: OWNER_ONLY });
  await chmod(file, OWNER_ONLY);
  return key;
}
