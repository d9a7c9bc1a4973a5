import type { Bench } from './bench';
import type { Broker } from './broker';
import { earlierClone } from './earlier-clone';
import type { BenchOptions } from './options';
import { countWrites, type DatabaseCounts, rowsOf, writesBetween } from './product-database';
import { printFaults, TOPOLOGY_NAMES } from './product-report';
import { cpuMsPerSend, ProductRounds, type Round } from './product-rounds';
import { printTable, spread } from './report';
import { printTargets } from './targets';

/** A round on a newly started product. */
interface Measured {
  round: Round;
  writes: DatabaseCounts;
}

const perSend = (valueOf: (writes: DatabaseCounts) => number) => (measured: Measured) => valueOf(measured.writes) / measured.round.accepted;

const CPU = ({ round }: Measured) => cpuMsPerSend(round);
const DELIVERED = ({ round }: Measured) => round.deliveredPerSecond;
const FIGURES: [string, (measured: Measured) => number][] = [
  ['CPU ms per send', CPU],
  ['delivered/s', DELIVERED],
  ['accepted/s', ({ round }) => round.acceptedPerSecond],
  ['machine used', ({ round }) => round.machineUsed],
  ['write-ahead log per send, bytes', perSend(({ walBytes }) => walBytes)],
  ['rows inserted per send', perSend((writes) => rowsOf(writes).inserted)],
  ['rows updated per send', perSend((writes) => rowsOf(writes).updated)],
  ['rows deleted per send', perSend((writes) => rowsOf(writes).deleted)],
  ['commits per send', perSend(({ commits }) => commits)],
];

/** The product of `commit` and the present one, alternating, each round on newly started ones, under the same load and sink. */
export async function compareWith(commit: string, bench: Bench, options: BenchOptions, broker?: Broker): Promise<void> {
  const clone = await earlierClone(bench, commit);
  const old: Measured[] = [];
  const present: Measured[] = [];
  for (let round = 0; round < options.rounds; round++) {
    old.push(await measure(bench, options, broker, clone));
    present.push(await measure(bench, options, broker));
  }
  const ratios = (valueOf: (measured: Measured) => number) => present.map((one, index) => valueOf(one) / valueOf(old[index]!));
  printTable(
    `deliver: ${TOPOLOGY_NAMES[options.topology]}, ${options.rounds} × ${options.sends} sends over ${options.connections} connections, alternating; median (lowest–highest)`,
    ['', commit, 'present', 'present ÷ it'],
    FIGURES.map(([name, valueOf]) => [name, spread(old.map(valueOf)), spread(present.map(valueOf)), spread(ratios(valueOf))]),
  );
  printTargets([
    { what: 'CPU per send, new ÷ old', values: ratios(CPU), must: { atMost: 0.75 }, aim: 0.5 },
    { what: 'delivered per second, new ÷ old', values: ratios(DELIVERED), must: { atLeast: 1.7 }, aim: 2.6 },
  ]);
  printFaults([...old, ...present].map(({ round }) => round));
}

async function measure(bench: Bench, options: BenchOptions, broker?: Broker, clone?: string): Promise<Measured> {
  const part = bench.part();
  try {
    const product = await ProductRounds.start(part, options, { broker, clone });
    const { dataDirectory } = product.product;
    const before = await countWrites(dataDirectory);
    const round = await product.round({ sends: options.sends });
    return { round, writes: writesBetween(before, await countWrites(dataDirectory)) };
  } finally {
    await part.end();
  }
}
