import { chmod, readFile, writeFile } from 'node:fs/promises';

const OWNER_ONLY = 0o600;

/** The text of a file, empty where there is none. @throws Error that names `what` the file holds when it cannot be read. */
export async function readOwnFile(file: string, what: string) {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new Error(`The ${what} in ${file} cannot be read: ${message}`, { cause: error });
  }
}

/** The text in a file that only its owner can read; drawn and written at the first call. @throws Error that names `what` the file holds. */
export async function ownSecret(file: string, what: string, draw: () => string) {
  const existing = (await readOwnFile(file, what)).trim();
  if (existing) return existing;
  const secret = draw();
  await writeOwnFile(file, secret);
  return secret;
}

/** Writes a file that only its owner can read, also one that others could read before. */
export async function writeOwnFile(file: string, text: string) {
  await writeFile(file, `${text}\n`, { mode: OWNER_ONLY });
  await chmod(file, OWNER_ONLY);
}
