import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ON_LINUX = process.platform === 'linux';
const PS_TIMEOUT_MS = 5_000;

/** Whether the pid is in use, also by a process that has ended and is not reaped yet. */
export function isInTable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process runs. One that ended and is not reaped yet does not. */
export function isRunning(pid: number): boolean {
  if (!isInTable(pid)) return false;
  const state = statFields(pid)?.[0];
  return state !== 'Z' && state !== 'X';
}

/** The process's arguments in one string, or `undefined` when there is no such process or reading it is not permitted. */
export function commandLineOf(pid: number): string | undefined {
  if (ON_LINUX) return readProc(`${pid}/cmdline`)?.replaceAll('\0', ' ').trim();
  return ps(pid, 'command=');
}

/**
 * Start time of the process, for comparison only: the same pid with another start is another process.
 * `undefined` when there is no such process or the platform does not report it.
 */
export function startOf(pid: number): string | undefined {
  // The ticks count from the boot, so the boot id is part of the value.
  if (ON_LINUX) {
    const ticks = statFields(pid)?.[19];
    return ticks && `${readProc('sys/kernel/random/boot_id')?.trim()}:${ticks}`;
  }
  return ps(pid, 'lstart=');
}

/** The fields of `/proc/<pid>/stat` from the state on; the name before them may contain blanks and parentheses. */
function statFields(pid: number) {
  const stat = readProc(`${pid}/stat`);
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
      timeout: PS_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.trim() || undefined;
  } catch {
    return undefined;
  }
}
