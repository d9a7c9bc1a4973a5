import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type ProcessEntry, commandLine, proportionalSize, readProcesses, sharedFilePages, treeOf, wakeUpsOf } from './process-table';

const SAMPLE_MS = 250;
/** How deep below the data directory a server's note may lie. */
const SEARCH_DEPTH_MAX = 3;

export const PROCESS_GROUPS = ['node', 'postgres', 'kafka'] as const;
export type ProcessGroup = (typeof PROCESS_GROUPS)[number];

/** CPU time since each process began, user and system, in ms. Only differences mean something. */
export type CpuTimes = Record<ProcessGroup, number>;

/** Where to look for processes. What descends from one belongs to it. */
export interface Whereabouts {
  roots: readonly number[];
  /** The PostgreSQL on the cluster below it belongs too, whoever started it. */
  dataDirectory?: string;
  /** What processes are called, by pid; asked whenever one is seen for the first time. */
  nameOf?(pid: number): string | undefined;
}

export interface MemoryPeak {
  /** Highest sum of the proportional sizes at one moment, in bytes. */
  total: number;
  /** Highest sum of a group; groups may peak at different moments. */
  groups: Record<ProcessGroup, number>;
  /** At the end of the watch: what is not counted because others run the same programs. */
  sharedWithOthers: number;
  /** Highest of each kind of process, the largest first. */
  processes: { kind: string; count: number; largest: number }[];
}

/** CPU and memory of everything that belongs together: processes, what descends from them, the PostgreSQL of a data directory. */
export class ProcessUsage {
  private readonly peaks = new Map<number, { kind: string; bytes: number }>();
  private peakTotal = 0;
  private readonly peakGroups: Record<ProcessGroup, number> = perGroup(() => 0);
  private timer?: NodeJS.Timeout;

  constructor(private readonly whereabouts: Whereabouts) {}

  cpu(): CpuTimes {
    const times: CpuTimes = perGroup(() => 0);
    for (const entry of this.members()) times[groupOf(entry)] += entry.cpuMs;
    return times;
  }

  /** How often its processes were woken since they began, by kind of process; only differences mean something. */
  wakeUps(): Map<string, number> {
    const kinds = new Map<string, number>();
    for (const entry of this.members()) {
      const kind = this.kindOf(entry);
      kinds.set(kind, (kinds.get(kind) ?? 0) + wakeUpsOf(entry.pid));
    }
    return kinds;
  }

  /** Sum of the proportional sizes now, in bytes. */
  memory(): { total: number; groups: Record<ProcessGroup, number> } {
    const groups = perGroup(() => 0);
    for (const entry of this.members()) {
      const bytes = proportionalSize(entry.pid);
      groups[groupOf(entry)] += bytes;
      const known = this.peaks.get(entry.pid);
      if (!known) this.peaks.set(entry.pid, { kind: this.kindOf(entry), bytes });
      else if (bytes > known.bytes) known.bytes = bytes;
    }
    const total = sumOf(groups);
    this.peakTotal = Math.max(this.peakTotal, total);
    for (const group of PROCESS_GROUPS) this.peakGroups[group] = Math.max(this.peakGroups[group], groups[group]);
    return { total, groups };
  }

  /**
   * What the sum of the proportional sizes leaves out because processes that are none of the product's, the bench's own for
   * one, run the same programs: at least these bytes would be counted with it on a machine of its own.
   */
  sharedWithOthers(): number {
    const files = new Map<string, { shares: number; pages: number }>();
    for (const { pid } of this.members()) {
      for (const [file, { share, shared }] of sharedFilePages(pid)) {
        const { shares, pages } = files.get(file) ?? { shares: 0, pages: 0 };
        files.set(file, { shares: shares + share, pages: Math.max(pages, shared) });
      }
    }
    return [...files.values()].reduce((sum, { shares, pages }) => sum + Math.max(0, pages - shares), 0);
  }

  /** Looks at the memory again and again until `peak` is asked for. */
  watchMemory(): void {
    this.timer ??= setInterval(() => this.memory(), SAMPLE_MS).unref();
  }

  /** What was highest since the watch began. Ends the watch. */
  peak(): MemoryPeak {
    this.memory();
    clearInterval(this.timer);
    this.timer = undefined;
    const kinds = new Map<string, { kind: string; count: number; largest: number }>();
    for (const { kind, bytes } of this.peaks.values()) {
      const { count, largest } = kinds.get(kind) ?? { count: 0, largest: 0 };
      kinds.set(kind, { kind, count: count + 1, largest: Math.max(largest, bytes) });
    }
    const processes = [...kinds.values()].sort((a, b) => b.largest - a.largest);
    return { total: this.peakTotal, groups: this.peakGroups, sharedWithOthers: this.sharedWithOthers(), processes };
  }

  private members(): ProcessEntry[] {
    const { roots, dataDirectory } = this.whereabouts;
    const server = dataDirectory === undefined ? undefined : serverPid(dataDirectory);
    return treeOf(readProcesses(), server === undefined ? roots : [...roots, server]);
  }

  /** Processes that do the same share a kind: a backend is known by its role, whichever port its client has. */
  private kindOf(entry: ProcessEntry): string {
    const group = groupOf(entry);
    if (group !== 'postgres') return this.whereabouts.nameOf?.(entry.pid) ?? group;
    const title = /^postgres: (\S+(?: (?:process|writer|launcher|worker))?)/.exec(commandLine(entry.pid))?.[1];
    return title ? `postgres: ${title}` : 'postgres: main';
  }
}

/** A number for each group of processes. */
export function perGroup(valueOf: (group: ProcessGroup) => number): Record<ProcessGroup, number> {
  return { node: valueOf('node'), postgres: valueOf('postgres'), kafka: valueOf('kafka') };
}

/** All groups together. */
export const sumOf = ({ node, postgres, kafka }: Record<ProcessGroup, number>): number => node + postgres + kafka;

export const cpuBetween = (before: CpuTimes, after: CpuTimes): CpuTimes => perGroup((group) => after[group] - before[group]);

/** Folder of the PostgreSQL cluster below `directory`, if there is one. */
export function findCluster(directory: string, depth = SEARCH_DEPTH_MAX): string | undefined {
  const entries = readdirSync(directory, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'PG_VERSION')) return directory;
  if (depth === 0) return undefined;
  for (const entry of entries) {
    const found = entry.isDirectory() ? findCluster(path.join(directory, entry.name), depth - 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Pid of the server that runs on the cluster below `directory`. */
export function serverPid(directory: string): number | undefined {
  try {
    const cluster = findCluster(directory);
    const pid = cluster && Number.parseInt(readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8'), 10);
    return pid || undefined;
  } catch {
    return undefined; // it starts or stops this very moment
  }
}

function groupOf({ name }: ProcessEntry): ProcessGroup {
  if (name.startsWith('postgres') || name === 'initdb') return 'postgres';
  return name === 'java' ? 'kafka' : 'node';
}
