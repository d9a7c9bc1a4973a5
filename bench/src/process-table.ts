import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** The kernel's unit of CPU time in `/proc`; 100 per second on every Linux that Node runs on. */
const TICK_MS = 10;
/** Of `/proc/<pid>/stat`, counted from the state, which follows the name. */
const FIELD = { parent: 1, utime: 11, stime: 12, cutime: 13, cstime: 14 } as const;

export interface ProcessEntry {
  pid: number;
  parent: number;
  name: string;
  /** User and system time of the process and of its ended children that it waited for, in ms. */
  cpuMs: number;
}

/** All visible processes of the machine, by pid. */
export function readProcesses(): Map<number, ProcessEntry> {
  const processes = new Map<number, ProcessEntry>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const entry = readProcess(Number(name));
    if (entry) processes.set(entry.pid, entry);
  }
  return processes;
}

function readProcess(pid: number): ProcessEntry | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name may hold blanks and parentheses, but the last parenthesis closes it.
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  return {
    pid,
    parent: number(FIELD.parent),
    name: stat.slice(stat.indexOf('(') + 1, end),
    cpuMs: TICK_MS * (number(FIELD.utime) + number(FIELD.stime) + number(FIELD.cutime) + number(FIELD.cstime)),
  };
}

/** Ms that the processors of the machine spent without work, all together. Only differences are meaningful. */
export function idleMs(): number {
  const [, , , , , idle, waiting] = /^cpu .*$/m.exec(read('/proc/stat') ?? '')?.[0].split(/ +/) ?? [];
  return TICK_MS * (Number(idle) + Number(waiting));
}

/** The processes of `roots` and their descendants. */
export function treeOf(processes: Map<number, ProcessEntry>, roots: Iterable<number>): ProcessEntry[] {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of processes.values()) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(pid);
    else children.set(parent, [pid]);
  }
  const found = new Map<number, ProcessEntry>();
  const waiting = [...roots];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const entry = processes.get(pid);
    if (!entry || found.has(pid)) continue;
    found.set(pid, entry);
    waiting.push(...(children.get(pid) ?? []));
  }
  return [...found.values()];
}

/** Proportional set size in bytes: shared pages are divided among the processes that map them. 0 when the process ended. */
export function proportionalSize(pid: number): number {
  const match = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '');
  return match ? Number(match[1]) * 1024 : 0;
}

/** Mappings without a program or library: memory that a server shares with its own children. */
const NO_FILE = /^(\[|\/dev\/|\/SYSV|\/memfd:|$)/;

export interface FilePages {
  /** The process's proportional share of pages that other processes map too, in bytes. */
  share: number;
  /** The full size of these pages, in bytes. */
  shared: number;
}

/** Pages of programs and libraries that the process shares with others, by file. */
export function sharedFilePages(pid: number): Map<string, FilePages> {
  const files = new Map<string, FilePages>();
  let current: FilePages | undefined;
  for (const line of (read(`/proc/${pid}/smaps`) ?? '').split('\n')) {
    const file = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line)?.[1];
    if (file !== undefined) {
      current = NO_FILE.test(file) ? undefined : (files.get(file) ?? { share: 0, shared: 0 });
      if (current) files.set(file, current);
      continue;
    }
    const [, field, size] = /^(Pss|Shared_Clean|Shared_Dirty|Private_Clean|Private_Dirty): +(\d+) kB$/.exec(line) ?? [];
    if (!current || field === undefined) continue;
    const bytes = Number(size) * 1024;
    if (field === 'Pss') current.share += bytes;
    else if (field.startsWith('Private')) current.share -= bytes;
    else current.shared += bytes;
  }
  return files;
}

/** State of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A';

/** Pid of the process that listens on a port of this machine, if it is visible. */
export function listenerOf(port: number): number | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listening(file, port)));
  for (const name of sockets.size > 0 ? list('/proc') : []) {
    if (/^\d+$/.test(name) && list(`/proc/${name}/fd`).some((handle) => sockets.has(link(`/proc/${name}/fd/${handle}`))))
      return Number(name);
  }
  return undefined;
}

function listening(file: string, port: number): string[] {
  return (read(file) ?? '').split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/ +/);
    return state === LISTENING && Number.parseInt(local?.split(':')[1] ?? '', 16) === port ? [`socket:[${inode}]`] : [];
  });
}

/** Voluntary context switches of the process's threads: each is followed by one wake-up. */
export function wakeUpsOf(pid: number): number {
  const threads = list(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const match = /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(read(`/proc/${pid}/task/${thread}/status`) ?? '');
    return sum + Number(match?.[1] ?? 0);
  }, 0);
}

/** The process title, or its command line. */
export function commandLine(pid: number): string {
  return (read(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // it ended meanwhile
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return ''; // it ended meanwhile, or belongs to another account
  }
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // it ended meanwhile, or belongs to another account
  }
}
