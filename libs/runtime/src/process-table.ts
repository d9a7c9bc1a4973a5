import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const ON_LINUX = process.platform === 'linux';

/** Whether the pid is in use, also by a process that has ended and is not reaped yet. */
export function isInTable(pid: number) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process runs. One that ended and is not reaped yet does not. */
export function isRunning(pid: number) {
  if (!isInTable(pid)) return false;
  const state = statFields(pid)?.[0];
  return state !== 'Z' && state !== 'X';
}

/** The process's arguments in one string, or `undefined` when there is no such process or reading it is not permitted. */
export function commandLineOf(pid: number) {
  if (ON_LINUX) return readProc(`${pid}/cmdline`)?.replaceAll('\0', ' ').trim();
  return ps(pid, 'command=');
}

/**
 * Start time of the process, for comparison only: the same pid with another start is another process.
 * `undefined` when there is no such process or the platform does not report it.
 */
export function startOf(pid: number) {
  // The ticks count from the boot, so the boot id is part of the value.
  if (ON_LINUX) {
    const ticks = statFields(pid)?.[19];
    return ticks && `${readProc('sys/kernel/random/boot_id')?.trim()}:${ticks}`;
  }
  return ps(pid, 'lstart=');
}

/** Stops the process (SIGSTOP); resolves when each of its threads has stopped, or it has ended. SIGCONT continues it. */
export async function freeze(pid: number) {
  process.kill(pid, 'SIGSTOP');
  while (isRunning(pid) && !isFrozen(pid)) await delay(5);
}

function isFrozen(pid: number) {
  if (!ON_LINUX) return ps(pid, 'state=')?.startsWith('T') ?? true;
  const states = threadsOf(pid).map((thread) => statFields(`${pid}/task/${thread}`)?.[0] ?? 'T');
  return states.every((state) => state === 'T' || state === 't');
}

function threadsOf(pid: number) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The fields of `/proc/<process>/stat` from the state on; the name before them may contain blanks and parentheses. */
function statFields(process: number | string) {
  const stat = readProc(`${process}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProc(name: string) {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string) {
  if (process.platform === 'win32') return undefined;
  try {
    const output = execFileSync('ps', ['-o', column, '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.trim() || undefined;
  } catch {
    return undefined;
  }
}
