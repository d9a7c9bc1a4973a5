import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresBinaries, programOf } from './postgres-binaries';
import type { PostgresLauncher } from './postgres-launcher';
import { textArguments } from './postgres-settings';
import { commandLineOf, isInTable, isRunning } from './process-table';

export const SUPERUSER = 'postgres';

const SURVIVOR_STOP_TIMEOUT_MS = 30_000;
const SHARED_MEMORY_TABLE = '/proc/sysvipc/shm';

export type ServerNote = NonNullable<ReturnType<typeof readServerNote>>;

/** The data directory of the server whose files are in `directory`. */
export const dataOf = (directory: string) => join(directory, 'data');

/** The setting that identifies the server process of a directory: its `-D` may be `/proc/self/fd/3`. */
export const markOf = (directory: string) => `tidings.directory=${directory}`;

/**
 * Creates the cluster in `<directory>/data` unless it exists, and returns its superuser's password, stored in
 * `<directory>/password` (mode 0600). `data` is always complete: it is created under another name and renamed.
 */
export async function ensureCluster(directory: string, launcher: PostgresLauncher, durable: boolean) {
  const passwordFile = join(directory, 'password');
  const exists = existsSync(dataOf(directory));
  if (exists) refuseOtherVersion(directory, launcher.binaries);
  if (exists && existsSync(passwordFile)) return readFileSync(passwordFile, 'utf8').trim();

  const password = randomBytes(24).toString('base64url');
  if (exists) setPassword(launcher, password); // the file was lost; an account that may run the server may also reset its password
  writeFileSync(passwordFile, password, { mode: 0o600 });
  own(passwordFile, launcher);
  if (!exists) await createCluster(directory, launcher, durable);
  return password;
}

function refuseOtherVersion(directory: string, { major }: PostgresBinaries) {
  const stored = Number.parseInt(readFileSync(join(dataOf(directory), 'PG_VERSION'), 'utf8'), 10);
  if (stored !== major) {
    throw new Error(
      `The data in ${directory} was written by PostgreSQL ${stored} and this is PostgreSQL ${major}: use another folder, or migrate the data with pg_dump of version ${major}`,
    );
  }
}

async function createCluster(directory: string, launcher: PostgresLauncher, durable: boolean) {
  const partial = join(directory, 'data.partial');
  rmSync(partial, { recursive: true, force: true }); // an earlier attempt that was interrupted
  mkdirSync(partial, { mode: 0o700 });
  own(partial, launcher);

  const child = spawn(
    programOf(launcher.binaries, 'initdb'),
    [
      `--pgdata=${launcher.directory}/data.partial`,
      `--pwfile=${launcher.directory}/password`,
      `--username=${SUPERUSER}`,
      '--auth=scram-sha-256',
      '--no-instructions',
      ...textArguments(launcher.binaries.major),
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...launcher.spawnOptions('pipe'), timeout: 120_000, killSignal: 'SIGKILL', detached: true },
  );
  const output = await outputOf(child);
  if (child.exitCode !== 0) throw new Error(`initdb could not create the database in ${directory}: ${output.trim() || child.signalCode}`);
  renameSync(partial, dataOf(directory));
}

function outputOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => (text += String(chunk)));
    child.stderr?.on('data', (chunk) => (text += String(chunk)));
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}

function setPassword(launcher: PostgresLauncher, password: string) {
  const { status, stderr, error } = spawnSync(
    programOf(launcher.binaries, 'postgres'),
    ['--single', '-D', `${launcher.directory}/data`, 'postgres'],
    {
      ...launcher.spawnOptions('pipe', 'pipe'),
      input: `ALTER ROLE ${SUPERUSER} PASSWORD '${password}'\n`,
      encoding: 'utf8',
      timeout: 120_000,
    },
  );
  if (error || status !== 0)
    throw new Error(`The database's password file is missing and a new password could not be set: ${error?.message ?? stderr}`);
}

function own(path: string, { account }: PostgresLauncher) {
  if (account) chownSync(path, account.uid, account.gid);
}

/** The note of a running or killed server, its `postmaster.pid`; `undefined` when there is none. */
export function readServerNote(directory: string) {
  let lines: string[];
  try {
    lines = readFileSync(join(dataOf(directory), 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  // The lines that are left out: data directory, time of the start; socket directory, address.
  const [pidText = '', , , port = '', , , memory = '', status] = lines.map((line) => line.trim());
  const pid = Number.parseInt(pidText, 10);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    port: Number.parseInt(port, 10),
    /** Connections are accepted. */
    ready: status === 'ready',
    /** Id of the shared memory that marks the data as in use. */
    memoryId: memory.split(/\s+/)[1],
  };
}

/**
 * Cleans up after an earlier start: stops its server, which still runs when its parent was killed, and removes its note where
 * the next server would read it as that of a running one. Never touches a process that is not a server of this directory.
 */
export async function clearSurvivor(directory: string) {
  const note = readServerNote(directory);
  if (!note) return;

  if (isRunning(note.pid)) {
    const command = commandLineOf(note.pid);
    if (command === undefined) return; // unknown process: PostgreSQL's own check decides
    if (command.includes(markOf(directory)))
      process.kill(note.pid, 'SIGINT'); // fast shutdown
    else if (/^\S*postgres(\.exe)?(\s|$)/.test(command)) {
      throw new Error(
        `Process ${note.pid} is a PostgreSQL that seems to use ${dataOf(directory)} and was not started by Tidings: stop it first`,
      );
    } else return removeNote(directory, note);
    await until(() => !isRunning(note.pid), note, directory);
  }
  // A killed process stays in the table until its parent reaps it, in some containers forever.
  if (isInTable(note.pid)) await removeNote(directory, note);
}

/** Without the note a server cannot detect processes of an earlier one that still use the data, so this waits for their end first. */
async function removeNote(directory: string, note: ServerNote) {
  await until(() => !isMemoryInUse(note), note, directory);
  rmSync(join(dataOf(directory), 'postmaster.pid'), { force: true });
}

/** Whether a process is still attached to the shared memory of the server's processes. */
function isMemoryInUse({ memoryId }: ServerNote) {
  if (memoryId === undefined || !existsSync(SHARED_MEMORY_TABLE)) return false;
  const [heading = '', ...rows] = readFileSync(SHARED_MEMORY_TABLE, 'utf8').split('\n');
  const names = heading.trim().split(/\s+/);
  const row = rows.map((line) => line.trim().split(/\s+/)).find((cells) => cells[names.indexOf('shmid')] === memoryId);
  return row !== undefined && row[names.indexOf('nattch')] !== '0';
}

async function until(condition: () => boolean, { pid }: ServerNote, directory: string) {
  for (const end = Date.now() + SURVIVOR_STOP_TIMEOUT_MS; Date.now() < end; await delay(20)) {
    if (condition()) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) of ${directory} does not stop: stop it, then start again`);
}
