import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type ProcessEntry, commandLine, proportionalSize, readProcesses, sharedFilePages, treeOf, wakeUpsOf } from './process-table';

const SAMPLE_MS = 250;
/** Search depth for a PostgreSQL cluster below the data directory. */
const SEARCH_DEPTH_MAX = 3;

export const PROCESS_GROUPS = ['node', 'postgres', 'kafka'] as const;
export type ProcessGroup = (typeof PROCESS_GROUPS)[number];

/** User and system CPU time in ms since the start of each process. Only differences are meaningful. */
export type CpuTimes = Record<ProcessGroup, number>;

/** The processes to measure. Descendants belong to their root. */
export interface ProcessScope {
  roots: readonly number[];
  /** The PostgreSQL on the cluster below it belongs too, regardless of its parent. */
  dataDirectory?: string;
  /** Name of a process by pid; called when a process is first seen. */
  nameOf?(pid: number): string | undefined;
}

export interface MemoryPeak {
  /** Highest sum of the proportional sizes at one moment, in bytes. */
  total: number;
  /** Highest sum of a group; groups may peak at different moments. */
  groups: Record<ProcessGroup, number>;
  /** Bytes not counted because other processes map the same programs, at the end of the sampling. */
  sharedWithOthers: number;
  /** Highest of each kind of process, the largest first. */
  processes: { kind: string; count: number; largest: number }[];
}

/** CPU and memory of a set of processes, their descendants and the PostgreSQL of a data directory. */
export class ProcessUsage {
  private readonly peaks = new Map<number, { kind: string; bytes: number }>();
  private peakTotal = 0;
  private readonly peakGroups: Record<ProcessGroup, number> = perGroup(() => 0);
  private timer?: NodeJS.Timeout;

  constructor(private readonly scope: ProcessScope) {}

  cpu(): CpuTimes {
    const times: CpuTimes = perGroup(() => 0);
    for (const entry of this.members()) times[groupOf(entry)] += entry.cpuMs;
    return times;
  }

  /** CPU time since the start of the processes that run now, in ms, by kind of process. Only differences are meaningful. */
  cpuByKind(): Map<string, number> {
    const kinds = new Map<string, number>();
    for (const entry of this.members()) kinds.set(this.kindOf(entry), (kinds.get(this.kindOf(entry)) ?? 0) + entry.cpuMs);
    return kinds;
  }

  /** Wake-ups since the start of the processes, by kind of process. Only differences are meaningful. */
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
      const peak = this.peaks.get(entry.pid);
      if (!peak) this.peaks.set(entry.pid, { kind: this.kindOf(entry), bytes });
      else if (bytes > peak.bytes) peak.bytes = bytes;
    }
    const total = sumOf(groups);
    this.peakTotal = Math.max(this.peakTotal, total);
    for (const group of PROCESS_GROUPS) this.peakGroups[group] = Math.max(this.peakGroups[group], groups[group]);
    return { total, groups };
  }

  /**
   * Bytes that the sum of the proportional sizes leaves out because other processes, such as the bench, map the same programs.
   * On a machine of its own the product would need at least these bytes more.
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

  /** Samples the memory until `peak` is called. */
  watchMemory(): void {
    this.timer ??= setInterval(() => this.memory(), SAMPLE_MS).unref();
  }

  /** The highest values since `watchMemory`. Ends the sampling. */
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
    const { roots, dataDirectory } = this.scope;
    const server = dataDirectory === undefined ? undefined : serverPid(dataDirectory);
    return treeOf(readProcesses(), server === undefined ? roots : [...roots, server]);
  }

  /** Groups processes of one function: a backend is named by its role, without the port of its client. */
  private kindOf(entry: ProcessEntry): string {
    const group = groupOf(entry);
    if (group !== 'postgres') return this.scope.nameOf?.(entry.pid) ?? group;
    const title = /^postgres: (\S+(?: (?:process|writer|launcher|worker))?)/.exec(commandLine(entry.pid))?.[1];
    return title ? `postgres: ${title}` : 'postgres: main';
  }
}

/** Builds a record with a number for each group of processes. */
export function perGroup(valueOf: (group: ProcessGroup) => number): Record<ProcessGroup, number> {
  return { node: valueOf('node'), postgres: valueOf('postgres'), kafka: valueOf('kafka') };
}

/** Sum of all groups. */
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
    return undefined; // it is starting or stopping
  }
}

function groupOf({ name }: ProcessEntry): ProcessGroup {
  if (name.startsWith('postgres') || name === 'initdb') return 'postgres';
  return name === 'java' ? 'kafka' : 'node';
}
