import type { DatabaseCounts } from './product-database';
import { type CpuTimes, type MemoryPeak, PROCESS_GROUPS, perGroup, type ProcessGroup, sumOf } from './process-usage';
import { existsSync } from 'node:fs';
import type { Product, Topology } from './product';
import { type Round, faultsOf } from './product-rounds';
import { printProfile, type TimeRange } from './profile';
import { profileFile } from './profile-names';
import { figure, mebibytes, printTable, spread } from './report';

/** Names of the measured product in reports. */
export const TOPOLOGY_NAMES: Record<Topology, string> = { standalone: 'standalone', kafka: 'five processes over Kafka' };

/** The groups of processes in a topology. */
export const groupsOf = (topology: Topology): readonly ProcessGroup[] => (topology === 'kafka' ? PROCESS_GROUPS : ['node', 'postgres']);

/** CPU in total, then by group; one value per round. */
export function cpuSpread(times: readonly CpuTimes[], groups: readonly ProcessGroup[]): string[] {
  return [spread(times.map(sumOf)), ...groups.map((group) => spread(times.map((one) => one[group])))];
}

/** CPU per send, all processes, then by group. */
export function cpuPerSend(rounds: readonly Round[], part: 'cpu' | 'cpuWhileAccepting', groups: readonly ProcessGroup[]): string[] {
  const perSend = rounds.map((round) => perGroup((group) => round[part][group] / round.accepted));
  return cpuSpread(perSend, groups);
}

export function printMemory({ total, groups, sharedWithOthers, processes }: MemoryPeak, sampled = 'every 250 ms'): void {
  const shown = PROCESS_GROUPS.filter((group) => groups[group] > 0);
  printTable(
    `Highest memory (PSS), sampled ${sampled}`,
    ['process', 'how many', 'largest'],
    [
      ...processes.map(({ kind, count, largest }) => [kind, String(count), mebibytes(largest)]),
      ...shown.map((group) => [`all of ${group}, at one moment`, '', mebibytes(groups[group])]),
      ['all, at one moment', '', mebibytes(total)],
      ['with pages shared with other processes', '', mebibytes(total + sharedWithOthers)],
    ],
  );
}

/** Prints the rows, commits and log bytes that `sends` sends wrote. */
export function printWrites({ tables, commits, walBytes }: DatabaseCounts, sends: number): void {
  const per = (count: number) => figure(count / sends);
  const touched = [...tables].filter(([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0);
  const sum = (field: 'inserted' | 'updated' | 'deleted') => touched.reduce((total, [, rows]) => total + rows[field], 0);
  printTable(
    `Rows written per send, over ${figure(sends)} sends`,
    ['table', 'inserted', 'updated', 'deleted'],
    [
      ...touched.sort(([a], [b]) => a.localeCompare(b)).map(([name, row]) => [name, per(row.inserted), per(row.updated), per(row.deleted)]),
      ['all', per(sum('inserted')), per(sum('updated')), per(sum('deleted'))],
    ],
  );
  console.log(`  commits per send ${per(commits)} · write-ahead log per send ${figure(walBytes / sends)} bytes`);
}

/** Prints the faults of every round; a bench with a fault exits with 1. */
export function printFaults(rounds: readonly Round[]): void {
  rounds.forEach((round, index) => {
    for (const fault of faultsOf(round)) {
      console.error(`\nRound ${index + 1}: ${fault}`);
      process.exitCode = 1;
    }
  });
}

/** Stops the product, whose processes then write their profiles, and prints these. */
export async function printProfilesOf(product: Product, directory: string, timeRanges: readonly TimeRange[]): Promise<void> {
  const names = product.nodeProcesses();
  await product.stop();
  for (const [pid, name] of names) {
    const file = profileFile(directory, pid);
    if (!existsSync(file)) console.error(`\n${name} (${pid}) left no profile in ${directory}: did it end by itself?`);
    else printProfile(name, file, timeRanges);
  }
}
