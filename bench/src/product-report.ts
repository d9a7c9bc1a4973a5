import type { DatabaseCounts } from './product-database';
import type { CpuTimes, MemoryPeak } from './process-usage';
import { type Round, faultsOf } from './product-rounds';
import { findProfile, printProfile } from './profile';
import { figure, mebibytes, printTable, spread } from './report';

export const cpuSum = ({ node, postgres }: CpuTimes): number => node + postgres;

/** CPU per send, all processes, by group. */
export function cpuPerSend(rounds: readonly Round[], part: 'cpu' | 'cpuWhileAccepting'): string[] {
  const per = (cpu: (times: CpuTimes) => number) => spread(rounds.map((round) => cpu(round[part]) / round.accepted));
  return [per(cpuSum), per(({ node }) => node), per(({ postgres }) => postgres)];
}

export function printMemory({ total, groups, sharedWithOthers, processes }: MemoryPeak): void {
  printTable(
    'Highest memory (PSS), sampled every 250 ms',
    ['process', 'how many', 'largest'],
    [
      ...processes.map(({ kind, count, largest }) => [kind, String(count), mebibytes(largest)]),
      ['all of node, at one moment', '', mebibytes(groups.node)],
      ['all of postgres, at one moment', '', mebibytes(groups.postgres)],
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

/** After the product has ended and written its profile. */
export function printProfileOf(directory: string, sinceMs: number, rounds: readonly Round[]): void {
  const file = findProfile(directory, sinceMs);
  if (!file) throw new Error(`The standalone left no profile in ${directory}`);
  printProfile(
    file,
    rounds.map(({ stretch }) => stretch),
  );
}
