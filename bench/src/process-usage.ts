import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type ProcessEntry, commandLine, proportionalSize, readProcesses, sharedFilePages, treeOf, wakeUpsOf } from './process-table';

const SAMPLE_MS = 250;
/** How deep below the data directory a server's note may lie. */
const SEARCH_DEPTH_MAX = 3;

export const PROCESS_GROUPS = ['node', 'postgres'] as const;
export type ProcessGroup = (typeof PROCESS_GROUPS)[number];

/** CPU time since each process began, user and system, in ms. Only differences mean something. */
export type CpuTimes = Record<ProcessGroup, number>;

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

/**
 * CPU and memory of everything the product runs: its process, what descends from it, and the PostgreSQL of its data
 * directory, which may have been started by an earlier process.
 */
export class ProcessUsage {
  private readonly peaks = new Map<number, { kind: string; bytes: number }>();
  private peakTotal = 0;
  private peakGroups: Record<ProcessGroup, number> = { node: 0, postgres: 0 };
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly rootPid: number,
    private readonly dataDirectory?: string,
  ) {}

  cpu(): CpuTimes {
    const times: CpuTimes = { node: 0, postgres: 0 };
    for (const entry of this.members()) times[groupOf(entry)] += entry.cpuMs;
    return times;
  }

  /** How often its processes were woken since they began, by kind of process; only differences mean something. */
  wakeUps(): Map<string, number> {
    const kinds = new Map<string, number>();
    for (const entry of this.members()) kinds.set(kindOf(entry), (kinds.get(kindOf(entry)) ?? 0) + wakeUpsOf(entry.pid));
    return kinds;
  }

  /** Sum of the proportional sizes now, in bytes. */
  memory(): { total: number; groups: Record<ProcessGroup, number> } {
    const groups = { node: 0, postgres: 0 };
    for (const entry of this.members()) {
      const bytes = proportionalSize(entry.pid);
      groups[groupOf(entry)] += bytes;
      const known = this.peaks.get(entry.pid);
      if (!known) this.peaks.set(entry.pid, { kind: kindOf(entry), bytes });
      else if (bytes > known.bytes) known.bytes = bytes;
    }
    const total = groups.node + groups.postgres;
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
    const server = this.dataDirectory === undefined ? undefined : serverPid(this.dataDirectory);
    return treeOf(readProcesses(), server === undefined ? [this.rootPid] : [this.rootPid, server]);
  }
}

export function cpuBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return { node: after.node - before.node, postgres: after.postgres - before.postgres };
}

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

const groupOf = ({ name }: ProcessEntry): ProcessGroup => (name.startsWith('postgres') || name === 'initdb' ? 'postgres' : 'node');

/** Processes that do the same share a kind: a backend is known by its role, whichever port its client has. */
function kindOf(entry: ProcessEntry): string {
  if (groupOf(entry) === 'node') return 'node';
  const title = /^postgres: (\S+(?: (?:process|writer|launcher|worker))?)/.exec(commandLine(entry.pid))?.[1];
  return title ? `postgres: ${title}` : 'postgres: main';
}
