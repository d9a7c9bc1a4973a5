import type { Bench } from './bench';
import type { Broker } from './broker';
import { earlierClone } from './earlier-clone';
import { LargeList } from './large-list';
import type { BenchOptions } from './options';
import { countWrites, type DatabaseCounts, rowsOf, writesBetween } from './product-database';
import { printFaults, TOPOLOGY_NAMES } from './product-report';
import { cpuMsPerSend, type FanOut, ProductRounds, type Round } from './product-rounds';
import { printTable, spread } from './report';
import { printTargets } from './targets';
import { ADMIN_KEY } from './second-workspace';

/** Members of the list of the fan-outs. */
const LIST_SIZE = 20_000;

/** One of the two products and what was measured of it. */
interface Side {
  readonly product: ProductRounds;
  readonly template: string;
  readonly list: LargeList;
  readonly rounds: Round[];
  readonly fanOuts: FanOut[];
}

type Values = (side: Side) => number[];

const cpu: Values = ({ rounds }) => rounds.map(cpuMsPerSend);
const delivered: Values = ({ rounds }) => rounds.map((one) => one.deliveredPerSecond);
const fanOut: Values = ({ fanOuts }) => fanOuts.map((one) => one.cpuMs);
const FIGURES: [string, Values][] = [
  ['CPU ms per send', cpu],
  ['delivered/s', delivered],
  ['accepted/s', ({ rounds }) => rounds.map((one) => one.acceptedPerSecond)],
  ['machine used', ({ rounds }) => rounds.map((one) => one.machineUsed)],
  [`CPU ms per recipient of ${LIST_SIZE}`, fanOut],
];
const WRITES: [string, (writes: DatabaseCounts) => number][] = [
  ['write-ahead log per send, bytes', ({ walBytes }) => walBytes],
  ['rows inserted per send', (writes) => rowsOf(writes).inserted],
  ['rows updated per send', (writes) => rowsOf(writes).updated],
  ['rows deleted per send', (writes) => rowsOf(writes).deleted],
  ['commits per send', ({ commits }) => commits],
];

/**
 * The product of `commit` and the present one, both running and warm, alternating: sends of a published template to stored users, then a list.
 */
export async function compareWith(commit: string, bench: Bench, options: BenchOptions, broker?: Broker): Promise<void> {
  const clone = await earlierClone(bench, commit);
  const old = await startSide(bench, options, broker, clone);
  const present = await startSide(bench, options, broker);
  const sides = [old, present];
  const counted = () => Promise.all(sides.map(({ product }) => countWrites(product.product.dataDirectory)));
  const before = await counted();
  for (let round = 0; round < options.rounds; round++) for (const side of sides) side.rounds.push(await sendAll(side, options));
  const after = await counted();
  const writes = after.map((counts, index) => writesBetween(before[index]!, counts));
  for (let round = 0; round < options.rounds; round++) {
    for (const { product, list, fanOuts } of sides) fanOuts.push(await product.fanOut(list));
  }
  for (const { list } of sides) await list.close();

  const ratios = (valuesOf: Values) => valuesOf(present).map((value, index) => value / valuesOf(old)[index]!);
  const written = (valueOf: (counts: DatabaseCounts) => number) =>
    writes.map((counts, index) => valueOf(counts) / sides[index]!.rounds.reduce((sum, { accepted }) => sum + accepted, 0));
  printTable(
    `deliver: ${TOPOLOGY_NAMES[options.topology]}, ${options.rounds} × ${options.sends} sends over ${options.connections} connections, alternating; median (lowest–highest)`,
    ['', commit, 'present', 'present ÷ it'],
    [
      ...FIGURES.map(([name, valuesOf]) => [name, spread(valuesOf(old)), spread(valuesOf(present)), spread(ratios(valuesOf))]),
      ...WRITES.map(([name, valueOf]) => {
        const [ofOld, ofPresent] = written(valueOf);
        return [name, spread([ofOld!]), spread([ofPresent!]), spread([ofPresent! / ofOld!])];
      }),
    ],
  );
  printTargets([
    { what: 'CPU per send, new ÷ old', values: ratios(cpu), must: { atMost: 0.75 }, aim: 0.5 },
    { what: 'delivered per second, new ÷ old', values: ratios(delivered), must: { atLeast: 1.7 }, aim: 2.6 },
    { what: 'CPU per recipient of a list, new ÷ old', values: ratios(fanOut), must: { atMost: 0.6 }, aim: 0.35 },
  ]);
  printFaults(sides.flatMap(({ rounds }) => rounds));
}

async function startSide(bench: Bench, options: BenchOptions, broker?: Broker, clone?: string): Promise<Side> {
  const product = await ProductRounds.start(bench, options, { broker, clone, environment: { TIDINGS_ADMIN_KEY: ADMIN_KEY } });
  const side: Side = {
    product,
    template: await product.createTemplate(),
    list: await LargeList.create(product.product, LIST_SIZE),
    rounds: [],
    fanOuts: [],
  };
  await sendAll(side, options); // compiles
  return side;
}

function sendAll({ product, template }: Side, { sends }: BenchOptions): Promise<Round> {
  return product.round({ sends, template });
}
