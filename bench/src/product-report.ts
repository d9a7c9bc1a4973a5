import type { DatabaseCounts } from './product-database';
import { type CpuTimes, type MemoryPeak, PROCESS_GROUPS, perGroup, type ProcessGroup, sumOf } from './process-usage';
import { existsSync } from 'node:fs';
import type { Product, Way } from './product';
import { type Round, faultsOf } from './product-rounds';
import { printProfile, type Stretch } from './profile';
import { profileFile } from './profile-names';
import { figure, mebibytes, printTable, spread } from './report';

/** What to call the product that was measured. */
export const WAY_NAMES: Record<Way, string> = { standalone: 'standalone', kafka: 'five processes over Kafka' };

/** The groups of processes there are. */
export const groupsOf = (way: Way): readonly ProcessGroup[] => (way === 'kafka' ? PROCESS_GROUPS : ['node', 'postgres']);

/** CPU of all of some rounds together, then by group. */
export function cpuSpread(times: readonly CpuTimes[], groups: readonly ProcessGroup[]): string[] {
  return [spread(times.map(sumOf)), ...groups.map((group) => spread(times.map((one) => one[group])))];
}

/** CPU per send, all processes, then by group. */
export function cpuPerSend(rounds: readonly Round[], part: 'cpu' | 'cpuWhileAccepting', groups: readonly ProcessGroup[]): string[] {
  const perSend = rounds.map((round) => perGroup((group) => round[part][group] / round.accepted));
  return cpuSpread(perSend, groups);
}

export function printMemory({ total, groups, sharedWithOthers, processes }: MemoryPeak, sampled = 'every 250 ms'): void {
  const seen = PROCESS_GROUPS.filter((group) => groups[group] > 0);
  printTable(
    `Highest memory (PSS), sampled ${sampled}`,
    ['process', 'how many', 'largest'],
    [
      ...processes.map(({ kind, count, largest }) => [kind, String(count), mebibytes(largest)]),
      ...seen.map((group) => [`all of ${group}, at one moment`, '', mebibytes(groups[group])]),
      ['everything, at one moment', '', mebibytes(total)],
      ['with what it shares with other processes here', '', mebibytes(total + sharedWithOthers)],
    ],
  );
}

/** What `sends` sends have written. */
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

/** Says of every round what was not as it should be; a bench with such a round has failed. */
export function printFaults(rounds: readonly Round[]): void {
  rounds.forEach((round, index) => {
    for (const fault of faultsOf(round)) {
      console.error(`\nRound ${index + 1}: ${fault}`);
      process.exitCode = 1;
    }
  });
}

/** Ends the product, whose processes write their profiles then, and prints those. */
export async function printProfilesOf(product: Product, directory: string, stretches: readonly Stretch[]): Promise<void> {
  const names = product.nodeProcesses();
  await product.stop();
  for (const [pid, name] of names) {
    const file = profileFile(directory, pid);
    if (!existsSync(file)) console.error(`\n${name} (${pid}) left no profile in ${directory}: did it end by itself?`);
    else printProfile(name, file, stretches);
  }
}
