import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, startOf } from './process-table';

/** Times of a lock. Defaults are production's; specs shorten those they wait for. */
export interface LockTimes {
  /** Interval at which a holder touches its lock file. Default: 1 s. */
  heartbeatMs?: number;
  /**
   * Wait for a holder on this machine. In containers a killed process stays visible for up to 1.5 s; a lock file is written
   * completely long before that. Default: 2 s.
   */
  localWaitMs?: number;
  /** Wait for the heartbeat of a holder on another machine, whose process is not visible here. Default: 5 s. */
  remoteWaitMs?: number;
}

interface Holder {
  /** Distinguishes two locks of one process. */
  token: string;
  pid: number;
  /** Distinguishes this process from a later one with the same pid. */
  start?: string;
  /** Machine and pid namespace in which the pid is valid. */
  machine: string;
}

/**
 * Creates the directory if needed and locks it for this process. Throws when another process holds the lock, naming that process.
 * The lock of a dead process is discarded: on this machine it is recognised by pid and process start, on another one (a volume
 * that two containers share) by its missing heartbeat.
 */
export async function lockDataDirectory(path: string, { heartbeatMs = 1_000, localWaitMs = 2_000, remoteWaitMs = 5_000 }: LockTimes = {}) {
  const directory = makeDirectory(path);
  const file = join(directory, 'lock');
  const self: Holder = { token: randomUUID(), pid: process.pid, start: startOf(process.pid), machine: machineOfThisProcess() };

  const startedAt = Date.now();
  let lastSeen = '';
  let lastTouched: number | undefined;
  while (!create(file, JSON.stringify(self))) {
    const text = readText(file);
    if (text === undefined) continue; // released in the meantime

    const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    const beat = text === lastSeen && touched !== lastTouched;
    [lastSeen, lastTouched] = [text, touched];

    const holder = parse(text);
    const waitMs = holder && holder.machine !== self.machine ? remoteWaitMs : localWaitMs;
    const verdict = judge(holder, self.machine, beat, Date.now() - startedAt < waitMs);
    if (verdict === 'in use')
      throw new Error(
        `The data directory ${directory} is in use by process ${holder?.pid} on ${holder?.machine}: stop it, or set TIDINGS_DATA_DIR to another folder`,
      );
    if (verdict === 'left behind') discard(file, text);
    else await delay(25);
  }
  return startHeartbeat(directory, file, self, heartbeatMs);
}

function judge(holder: Holder | undefined, machine: string, beat: boolean, mayWait: boolean) {
  if (!holder) return mayWait ? 'unclear' : 'left behind';
  if (beat) return 'in use';
  if (holder.machine !== machine) return mayWait ? 'unclear' : 'left behind';
  if (!isRunning(holder.pid) || startOf(holder.pid) !== holder.start) return 'left behind';
  return mayWait ? 'unclear' : 'in use';
}

function startHeartbeat(directory: string, file: string, { token }: Holder, heartbeatMs: number) {
  const heartbeat = setInterval(() => touch(file), heartbeatMs).unref();
  const release = () => {
    clearInterval(heartbeat);
    process.removeListener('exit', release);
    if (parse(readText(file) ?? '')?.token === token) rmSync(file, { force: true });
  };
  process.once('exit', release);
  return {
    /** Absolute, without symbolic links. */
    path: directory,
    /** Releases the lock; idempotent. */
    release,
  };
}

function makeDirectory(path: string) {
  try {
    // As root: the server's account has to traverse the directory; secret files inside have modes of their own.
    makeFolder(resolve(path), process.getuid?.() === 0 ? 0o711 : 0o700);
    return realpathSync(path);
  } catch (error) {
    throw notUsable(path, error);
  }
}

/** With its parents. `mkdirSync` with `recursive` never returns where an existing parent answers ENOENT, as `/proc` does. */
function makeFolder(folder: string, mode: number) {
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    throw code === 'ENOENT' ? new Error(`no folder can be created in ${parent}`, { cause: error }) : error;
  }
}

function create(file: string, text: string) {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw notUsable(file, error);
  }
}

/** Removes the lock if its text is still `judged`; another start may have replaced it meanwhile. */
function discard(file: string, judged: string) {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return; // another start was faster
  }
  try {
    if (readText(aside) !== judged) linkSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

function readText(file: string) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw notUsable(file, error);
  }
}

function parse(text: string) {
  try {
    const holder = JSON.parse(text) as Partial<Holder>;
    return Number.isSafeInteger(holder.pid) && holder.token && holder.machine ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function touch(file: string) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // The lock file was removed from outside; there is nothing to renew.
  }
}

/** A pid is unique within one pid namespace of one machine. */
function machineOfThisProcess() {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function notUsable(path: string, error: unknown) {
  return new Error(
    `The data directory cannot be used (${resolve(path)}): ${(error as Error).message}. Make it writable or set TIDINGS_DATA_DIR to another folder`,
    {
      cause: error,
    },
  );
}
