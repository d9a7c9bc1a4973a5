import { type DatabaseCounts, rowsOf, type TableRows } from './product-database';
import { type CpuTimes, type MemoryPeak, PROCESS_GROUPS, perGroup, type ProcessGroup, sumOf } from './process-usage';
import { existsSync } from 'node:fs';
import type { Product, Topology } from './product';
import { type Round, faultsOf } from './product-rounds';
import { printProfile, type TimeRange } from './profile';
import { profileFile } from './profile-names';
import { figure, mebibytes, printTable, spread } from './report';
import type { Executed } from './statement-log';

const STATEMENTS_SHOWN = 15;
const STATEMENT_CHARACTERS = 70;

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

/** Prints the rows, commits and log bytes that `items` items wrote. */
export function printWrites(writes: DatabaseCounts, items: number, item = 'send'): void {
  const per = (count: number) => figure(count / items);
  const row = (name: string, { inserted, updated, deleted }: TableRows) => [name, per(inserted), per(updated), per(deleted)];
  const touched = [...writes.tables].filter(([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0);
  printTable(
    `Rows written per ${item}, over ${figure(items)}`,
    ['table', 'inserted', 'updated', 'deleted'],
    [...touched.sort(([a], [b]) => a.localeCompare(b)).map(([name, rows]) => row(name, rows)), row('all', rowsOf(writes))],
  );
  const { commits, walBytes, fullPages, storedBytes } = writes;
  console.log(
    `  commits ${per(commits)} · write-ahead log ${per(walBytes)} bytes, ${per(fullPages)} whole pages in it · more on disk ${per(storedBytes)} bytes`,
  );
}

/** Prints the statements that `items` items took, the most frequent by name. */
export function printStatements({ statements, writingCommits }: Executed, items: number, item = 'send'): void {
  const byCount = [...statements].sort(([, a], [, b]) => b - a);
  const total = (some: [string, number][]) => figure(some.reduce((sum, [, count]) => sum + count, 0) / items);
  printTable(
    `Statements per ${item}, over ${figure(items)}; the first and the last of a transaction are counted too`,
    ['statement', 'executed'],
    [
      ...byCount.slice(0, STATEMENTS_SHOWN).map((entry) => [entry[0].slice(0, STATEMENT_CHARACTERS), total([entry])]),
      ['others', total(byCount.slice(STATEMENTS_SHOWN))],
      ['all', total(byCount)],
    ],
  );
  console.log(`  transactions that wrote ${figure(writingCommits / items)}`);
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
