import { AppendFloors, type FloorRound } from './append-floors';
import { type Bench, describeRun, runBench } from './bench';
import { type BenchOptions, parseOptions } from './options';
import { countWrites, writesBetween } from './product-database';
import { cpuPerSend, cpuSum, printFaults, printMemory, printProfileOf, printWrites } from './product-report';
import { type Round, ProductRounds } from './product-rounds';
import { printTable, spread } from './report';

const DEFAULTS = { sends: 5_000, connections: 16, rounds: 3 };

/** Accepted per second, durably, against the same appends behind a bare HTTP server and with nothing around them. */
async function accept(bench: Bench): Promise<void> {
  const options = parseOptions(DEFAULTS);
  const begunAtMs = Date.now();
  console.log(describeRun());
  const floors = options.skipFloors ? undefined : await AppendFloors.start(bench, options.connections);
  const product = await ProductRounds.start(bench, options);
  const before = await countWrites(product.product.dataDirectory);
  product.usage.watchMemory();

  const bare: FloorRound[] = [];
  const http: FloorRound[] = [];
  const alone: FloorRound[] = [];
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round++) {
    if (floors) bare.push(await floors.appends(options.sends));
    if (floors) http.push(await floors.http(options.sends));
    if (floors) alone.push(await floors.gatewayAlone(options.sends));
    rounds.push(await product.round({ sends: options.sends }));
  }
  const memory = product.usage.peak();
  const after = await countWrites(product.product.dataDirectory);

  print(options, { bare, http, alone }, rounds);
  printMemory(memory);
  printWrites(writesBetween(before, after), options.sends * options.rounds);
  printFaults(rounds);
  if (options.profileDirectory) {
    await product.product.stop();
    printProfileOf(options.profileDirectory, begunAtMs, rounds);
  }
}

type Measured = Record<'bare' | 'http' | 'alone', FloorRound[]>;

function print({ sends, connections, rounds: count }: BenchOptions, { bare, http, alone }: Measured, rounds: Round[]): void {
  const floor = (name: string, measured: FloorRound[]) => [
    name,
    spread(measured.map(({ perSecond }) => perSecond)),
    spread(rounds.map(({ acceptedPerSecond }, index) => acceptedPerSecond / measured[index]!.perSecond)),
    spread(measured.map(({ cpu }) => cpuSum(cpu))),
    spread(measured.map(({ cpu }) => cpu.node)),
    spread(measured.map(({ cpu }) => cpu.postgres)),
    spread(measured.map(({ latency }) => latency.p50)),
    spread(measured.map(({ latency }) => latency.p99)),
  ];
  printTable(
    `accept: ${count} rounds of ${sends} sends over ${connections} connections, in turns; median (lowest–highest)`,
    ['', 'per second', 'product ÷ this', 'CPU ms per item', 'node', 'postgres', 'p50 ms', 'p99 ms'],
    [
      ...(bare.length > 0 ? [floor('durable appends, bare', bare)] : []),
      ...(http.length > 0 ? [floor('the same behind bare node:http', http)] : []),
      ...(alone.length > 0 ? [floor('gateway and identity alone', alone)] : []),
      [
        'standalone, until the last 202',
        spread(rounds.map(({ acceptedPerSecond }) => acceptedPerSecond)),
        '',
        ...cpuPerSend(rounds, 'cpuWhileAccepting'),
        spread(rounds.map(({ latency }) => latency.p50)),
        spread(rounds.map(({ latency }) => latency.p99)),
      ],
      ['standalone, until all is delivered', '', '', ...cpuPerSend(rounds, 'cpu'), '', ''],
    ],
  );
  if (http.length > 0) {
    const ratios = alone.map(({ perSecond }, index) => perSecond / http[index]!.perSecond);
    console.log(`  gateway and identity alone ÷ bare node:http: ${spread(ratios)}`);
  }
  console.log('  The standalone routes and delivers while it accepts. Times run from the start of a request to its 202.');
}

runBench(accept);
