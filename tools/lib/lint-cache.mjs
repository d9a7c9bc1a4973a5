import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Removes eslint's cache in the folder `cache` unless all `files` are as they were when it was written. eslint compares only the text of
 * each file; a rule that reads types has another result when a type changes in a file that it imports.
 * @returns a function that records the files as they were at this call, to be called when eslint has ended
 */
export function dropStaleCache(cache, files) {
  const record = path.join(cache, 'files.sha256');
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  const digest = hash.digest('hex');
  if (!existsSync(record) || readFileSync(record, 'utf8') !== digest) rmSync(cache, { recursive: true, force: true });
  return () => {
    mkdirSync(cache, { recursive: true });
    writeFileSync(record, digest);
  };
}
