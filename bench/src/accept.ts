import { AppendFloors, type FloorRound } from './append-floors';
import { type Bench, describeRun, runBench } from './bench';
import { startBroker } from './broker';
import { type BenchOptions, parseOptions } from './options';
import type { Topology } from './product';
import { countWrites, writesBetween } from './product-database';
import { cpuPerSend, cpuSpread, groupsOf, printFaults, printMemory, printProfilesOf, printWrites, TOPOLOGY_NAMES } from './product-report';
import { type Round, ProductRounds } from './product-rounds';
import { printTable, spread } from './report';
import { acceptTarget, singleSendTarget } from './product-targets';
import { ADMIN_KEY } from './second-workspace';
import { SingleSends } from './single-sends';
import type { Percentiles } from './statistics';
import { printTargets } from './targets';

const DEFAULTS = { sends: 5_000, connections: 64, rounds: 3 };

/** Durable 202s per second, against the same appends behind a bare HTTP server and without a server. */
async function accept(bench: Bench): Promise<void> {
  const options = parseOptions(DEFAULTS);
  console.log(describeRun());
  const broker = options.topology === 'kafka' ? await startBroker(bench) : undefined;
  const floors = options.skipFloors ? undefined : await AppendFloors.start(bench, options, broker);
  const product = await ProductRounds.start(bench, options, { broker, environment: { TIDINGS_ADMIN_KEY: ADMIN_KEY } });
  const singles = await SingleSends.create(product.product);
  const before = await countWrites(product.product.dataDirectory);
  product.usage.watchMemory();

  const bare: FloorRound[] = [];
  const http: FloorRound[] = [];
  const alone: FloorRound[] = [];
  const rounds: Round[] = [];
  const beside: Percentiles[] = [];
  for (let round = 0; round < options.rounds; round++) {
    if (floors) bare.push(await floors.appends(options.sends));
    if (floors) http.push(await floors.http(options.sends));
    if (floors) alone.push(await floors.gatewayAlone(options.sends));
    singles.start();
    rounds.push(await product.round({ sends: options.sends }));
    beside.push(await singles.stop());
  }
  const memory = product.usage.peak();
  const after = await countWrites(product.product.dataDirectory);

  print(options, { bare, http, alone }, rounds);
  printAcceptTargets(options.topology, { bare, http, alone }, rounds, beside);
  printMemory(memory);
  printWrites(writesBetween(before, after), options.sends * options.rounds);
  printFaults(rounds);
  if (options.profileDirectory) {
    const timeRanges = rounds.map(({ timeRange }) => timeRange);
    await printProfilesOf(product.product, options.profileDirectory, timeRanges);
  }
}

type Measured = Record<'bare' | 'http' | 'alone', FloorRound[]>;

function print({ topology, sends, connections, rounds: count }: BenchOptions, { bare, http, alone }: Measured, rounds: Round[]): void {
  const groups = groupsOf(topology);
  const floor = (name: string, measured: FloorRound[]) => [
    name,
    spread(measured.map(({ perSecond }) => perSecond)),
    spread(rounds.map(({ acceptedPerSecond }, index) => acceptedPerSecond / measured[index]!.perSecond)),
    ...cpuSpread(
      measured.map(({ cpu }) => cpu),
      groups,
    ),
    spread(measured.map(({ latency }) => latency.p50)),
    spread(measured.map(({ latency }) => latency.p99)),
  ];
  printTable(
    `accept: ${count} rounds of ${sends} sends over ${connections} connections, alternating; median (lowest–highest)`,
    ['', 'per second', 'product ÷ this', 'CPU ms per item', ...groups, 'p50 ms', 'p99 ms'],
    [
      ...(bare.length > 0 ? [floor('durable appends, bare', bare)] : []),
      ...(http.length > 0 ? [floor('the same behind bare node:http', http)] : []),
      ...(alone.length > 0 ? [floor('gateway and identity alone', alone)] : []),
      [
        `${TOPOLOGY_NAMES[topology]}, until the last 202`,
        spread(rounds.map(({ acceptedPerSecond }) => acceptedPerSecond)),
        '',
        ...cpuPerSend(rounds, 'cpuWhileAccepting', groups),
        spread(rounds.map(({ latency }) => latency.p50)),
        spread(rounds.map(({ latency }) => latency.p99)),
      ],
      [`${TOPOLOGY_NAMES[topology]}, until all are delivered`, '', '', ...cpuPerSend(rounds, 'cpu', groups), '', ''],
    ],
  );
  console.log('  The product routes and delivers while it accepts, up to 5 s later. Times run from the start of a request to its 202.');
}

function printAcceptTargets(topology: Topology, { http, alone }: Measured, rounds: Round[], beside: Percentiles[]): void {
  const single = singleSendTarget(beside);
  if (http.length === 0) return printTargets([single]);
  const accepted = rounds.map(({ acceptedPerSecond }) => acceptedPerSecond);
  const acceptedAlone = alone.map(({ perSecond }) => perSecond);
  printTargets([
    acceptTarget('gateway and identity alone', acceptedAlone, http, 1),
    acceptTarget(`${TOPOLOGY_NAMES[topology]}, delivering as well`, accepted, http),
    single,
  ]);
}

runBench(accept);
