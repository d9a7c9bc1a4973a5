import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresBinaries, programOf } from './postgres-binaries';
import type { PostgresLauncher } from './postgres-launcher';
import { textArguments } from './postgres-settings';
import { commandLineOf, isInTable, isRunning } from './process-table';

export const SUPERUSER = 'postgres';

const INITDB_TIMEOUT_MS = 120_000;
const SINGLE_USER_TIMEOUT_MS = 120_000;
const SURVIVOR_STOP_TIMEOUT_MS = 30_000;
const PORT_LINE = 3;
const MEMORY_LINE = 6;
const STATUS_LINE = 7;
const SHARED_MEMORY_TABLE = '/proc/sysvipc/shm';

/** What `postmaster.pid` says about the server of a cluster. */
export interface ServerNote {
  readonly pid: number;
  readonly port: number;
  /** Connections are accepted. */
  readonly ready: boolean;
  /** Of the shared memory that marks the data as in use. */
  readonly memoryId?: string;
}

export const dataOf = (directory: string): string => join(directory, 'data');

/** The setting by which the process of a directory's server is recognised: its `-D` may be a name that says nothing. */
export const markOf = (directory: string): string => `tidings.directory=${directory}`;

/**
 * Makes the cluster in `<directory>/data` unless it is there, and returns its superuser's password, kept in
 * `<directory>/password` (mode 0600). What stands under `data` is complete: it is made under another name and renamed.
 */
export async function ensureCluster(directory: string, seat: PostgresLauncher, durable: boolean): Promise<string> {
  const passwordFile = join(directory, 'password');
  const exists = existsSync(dataOf(directory));
  if (exists) refuseOtherVersion(directory, seat.binaries);
  if (exists && existsSync(passwordFile)) return readFileSync(passwordFile, 'utf8').trim();

  const password = randomBytes(24).toString('base64url');
  if (exists) setPassword(seat, password); // the file was lost; whoever may run the server may also open it
  writeFileSync(passwordFile, password, { mode: 0o600 });
  own(passwordFile, seat);
  if (!exists) await makeCluster(directory, seat, durable);
  return password;
}

function refuseOtherVersion(directory: string, { major }: PostgresBinaries): void {
  const stored = Number.parseInt(readFileSync(join(dataOf(directory), 'PG_VERSION'), 'utf8'), 10);
  if (stored !== major) {
    throw new Error(
      `The data in ${directory} was written by PostgreSQL ${stored} and this is PostgreSQL ${major}: use another folder, or carry the data over with pg_dump of version ${major}`,
    );
  }
}

async function makeCluster(directory: string, seat: PostgresLauncher, durable: boolean): Promise<void> {
  const partial = join(directory, 'data.partial');
  rmSync(partial, { recursive: true, force: true }); // an earlier attempt that was interrupted
  mkdirSync(partial, { mode: 0o700 });
  own(partial, seat);

  const child = spawn(
    programOf(seat.binaries, 'initdb'),
    [
      ...['-D', `${seat.directory}/data.partial`, `--pwfile=${seat.directory}/password`, `--username=${SUPERUSER}`],
      ...['--auth=scram-sha-256', '--no-instructions', ...textArguments(seat.binaries.major)],
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...seat.spawnOptions('pipe'), timeout: INITDB_TIMEOUT_MS, killSignal: 'SIGKILL', detached: true },
  );
  const output = await outputOf(child);
  if (child.exitCode !== 0) throw new Error(`initdb could not make the database in ${directory}: ${output.trim() || child.signalCode}`);
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

function setPassword(seat: PostgresLauncher, password: string): void {
  const options: SpawnOptions = seat.spawnOptions('pipe');
  const stdio = Array.isArray(options.stdio) ? ['pipe' as const, ...options.stdio.slice(1)] : options.stdio;
  const { status, stderr, error } = spawnSync(
    programOf(seat.binaries, 'postgres'),
    ['--single', '-D', `${seat.directory}/data`, 'postgres'],
    { ...options, stdio, input: `ALTER ROLE ${SUPERUSER} PASSWORD '${password}'\n`, encoding: 'utf8', timeout: SINGLE_USER_TIMEOUT_MS },
  );
  if (error || status !== 0) throw new Error(`The database's password is lost and could not be replaced: ${error?.message ?? stderr}`);
}

function own(path: string, { account }: PostgresLauncher): void {
  if (account) chownSync(path, account.uid, account.gid);
}

/** The note that a running or a killed server left, `undefined` when there is none. */
export function readServerNote(directory: string): ServerNote | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(dataOf(directory), 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    port: Number.parseInt(lines[PORT_LINE] ?? '', 10),
    ready: lines[STATUS_LINE]?.trim() === 'ready',
    memoryId: lines[MEMORY_LINE]?.trim().split(/\s+/)[1],
  };
}

/**
 * Puts right what a start before this one left: stops its server, if that still runs because its parent was killed, and removes
 * its note where the next server would take it for a living one. Never touches a process that is not a server of this directory.
 */
export async function clearSurvivor(directory: string): Promise<void> {
  const note = readServerNote(directory);
  if (!note) return;

  if (isRunning(note.pid)) {
    const command = commandLineOf(note.pid);
    if (command === undefined) return; // it cannot be told what it is: PostgreSQL's own check decides
    if (command.includes(markOf(directory)))
      process.kill(note.pid, 'SIGINT'); // fast shutdown
    else if (/^\S*postgres(\.exe)?(\s|$)/.test(command)) {
      throw new Error(
        `Process ${note.pid} is a PostgreSQL that seems to use ${dataOf(directory)} and was not started by Tidings: stop it first`,
      );
    } else return removeNote(directory, note);
    await until(() => !isRunning(note.pid), note, directory);
  }
  // A killed process stays in the table until its parent asks for it, in some containers for ever.
  if (isInTable(note.pid)) await removeNote(directory, note);
}

/** Without its note a server does not see that processes of an earlier one still work on the data, so that is made sure before. */
async function removeNote(directory: string, note: ServerNote): Promise<void> {
  await until(() => !isMemoryInUse(note), note, directory);
  rmSync(join(dataOf(directory), 'postmaster.pid'), { force: true });
}

/** Whether a process still holds the shared memory that all processes of the server had in common. */
function isMemoryInUse({ memoryId }: ServerNote): boolean {
  if (memoryId === undefined || !existsSync(SHARED_MEMORY_TABLE)) return false;
  const [heading = '', ...rows] = readFileSync(SHARED_MEMORY_TABLE, 'utf8').split('\n');
  const names = heading.trim().split(/\s+/);
  const row = rows.map((line) => line.trim().split(/\s+/)).find((cells) => cells[names.indexOf('shmid')] === memoryId);
  return row !== undefined && row[names.indexOf('nattch')] !== '0';
}

async function until(condition: () => boolean, { pid }: ServerNote, directory: string): Promise<void> {
  for (const end = Date.now() + SURVIVOR_STOP_TIMEOUT_MS; Date.now() < end; await delay(20)) {
    if (condition()) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) of ${directory} does not stop: stop it, then start again`);
}
