import { type Bench, describeRun, runBench } from './bench';
import { startBroker } from './broker';
import { compareWith } from './compare';
import { MAIL_CONNECTIONS, MAIL_FLOORS, type MailFloor, type MailFloorRound, MailFloors } from './mail-floors';
import { type BenchOptions, parseOptions } from './options';
import { countWrites, writesBetween } from './product-database';
import {
  cpuPerSend,
  groupsOf,
  printFaults,
  printMemory,
  printProfilesOf,
  printStatements,
  printWrites,
  TOPOLOGY_NAMES,
} from './product-report';
import { PROCESS_GROUPS } from './process-usage';
import { cpuMsPerSend, ProductRounds, type Round } from './product-rounds';
import { machineTarget, pacedAgeTarget, pacedCpuTarget, walTarget } from './product-targets';
import { figure, mebibytes, printTable, spread } from './report';
import { countStatements } from './statement-log';
import { spreadOf } from './statistics';
import { printTargets } from './targets';

const DEFAULTS = { sends: 10_000, connections: 16, rounds: 3 };
/** Of a comparison with an earlier commit. */
const AGAINST = { sends: 20_000, connections: 64, rounds: 3 };
const PACED_SECONDS = 10;
const PACED_SHARE = 0.5;
const LONG_STEP = 5_000;
/** Sends of the round whose statements are counted and whose times are not. */
const STATEMENT_SENDS = 2_000;

/** From request to mail: rate, age and CPU per send, against mail senders without the product. */
async function deliver(bench: Bench): Promise<void> {
  const options = parseOptions(DEFAULTS);
  console.log(describeRun());
  const broker = options.topology === 'kafka' ? await startBroker(bench) : undefined;
  if (options.against !== undefined) return compareWith(options.against, bench, parseOptions(AGAINST), broker);
  const floors = options.skipFloors || options.long ? undefined : await MailFloors.start(bench);
  const product = await ProductRounds.start(bench, options, { broker });
  const template = options.template ? await product.createTemplate() : undefined;
  const before = await countWrites(product.product.dataDirectory);
  product.usage.watchMemory();

  const measured = new Map<MailFloor, MailFloorRound[]>(MAIL_FLOORS.map((floor) => [floor, []]));
  const rounds: Round[] = [];
  const cpuBefore = product.usage.cpuByKind();
  const appendedBefore = broker?.appendedBytes?.();
  for (let round = 0; round < options.rounds; round++) {
    for (const [floor, results] of floors ? measured : []) results.push(await floors!.round(floor, options.sends));
    rounds.push(
      await product.round({ sends: options.sends, template, ...(options.long && { progress: memoryEvery(LONG_STEP, product) }) }),
    );
  }
  const cpuAfter = product.usage.cpuByKind();
  const appended = appendedBefore !== undefined && broker!.appendedBytes!() - appendedBefore;
  const rate = options.rate ?? Math.round(PACED_SHARE * spreadOf(rounds.map(({ deliveredPerSecond }) => deliveredPerSecond)).median);
  const writes = writesBetween(before, await countWrites(product.product.dataDirectory));
  const paced =
    rate > 0 && !options.long ? await product.round({ sends: Math.min(options.sends, rate * PACED_SECONDS), rate, template }) : undefined;
  const memory = product.usage.peak();
  const counted: Round[] = [];
  const counting = { sends: Math.min(options.sends, STATEMENT_SENDS), template };
  const executed = await countStatements(product.product.dataDirectory, async () => void counted.push(await product.round(counting)));

  printFloors(measured, rounds);
  printProduct(options, rounds, paced && { rate, round: paced });
  printMemory(memory);
  if (broker) printCpuByProcess(cpuBefore, cpuAfter, rounds);
  const accepted = rounds.reduce((sum, round) => sum + round.accepted, 0);
  printWrites(writes, accepted);
  if (appended) console.log(`  appended to Kafka ${figure(appended / accepted)} bytes per send, before replication`);
  printStatements(executed, counted[0]!.accepted);
  printTargets([
    machineTarget(rounds),
    ...(paced ? [pacedCpuTarget(rounds, paced), pacedAgeTarget(paced)] : []),
    walTarget(writes.walBytes / accepted),
  ]);
  printFaults([...rounds, ...(paced ? [paced] : []), ...counted]);
  if (options.profileDirectory) {
    const timeRanges = rounds.map(({ timeRange }) => timeRange);
    await printProfilesOf(product.product, options.profileDirectory, timeRanges);
  }
}

function memoryEvery(every: number, { usage }: ProductRounds) {
  console.log('\nMemory (PSS) during delivery');
  return {
    every,
    report: (delivered: number) => {
      const { total, groups } = usage.memory();
      const parts = PROCESS_GROUPS.filter((group) => groups[group] > 0).map((group) => `${group} ${mebibytes(groups[group])}`);
      console.log(`  ${figure(delivered).padStart(7)} mails: ${parts.join(', ')}, all ${mebibytes(total)}`);
    },
  };
}

function printFloors(measured: Map<MailFloor, MailFloorRound[]>, rounds: Round[]): void {
  const rows = [...measured].filter(([, results]) => results.length > 0);
  if (rows.length === 0) return;
  printTable(
    `Senders alone, ${MAIL_CONNECTIONS} kept-alive connections, alternating with the product; median (lowest–highest)`,
    ['', 'mails per second', 'product ÷ this', 'CPU ms per mail', 'product ÷ this', 'age p50 ms', 'p99'],
    rows.map(([floor, results]) => [
      floor,
      spread(results.map(({ perSecond }) => perSecond)),
      spread(rounds.map(({ deliveredPerSecond }, index) => deliveredPerSecond / results[index]!.perSecond)),
      spread(results.map(({ cpuMs }) => cpuMs)),
      spread(rounds.map((round, index) => cpuMsPerSend(round) / results[index]!.cpuMs)),
      spread(results.map(({ age }) => age.p50)),
      spread(results.map(({ age }) => age.p99)),
    ]),
  );
}

function printProduct(
  { topology, sends, connections, inline }: BenchOptions,
  rounds: Round[],
  paced?: { rate: number; round: Round },
): void {
  const groups = groupsOf(topology);
  const row = (name: string, some: Round[]) => [
    name,
    spread(some.map(({ deliveredPerSecond }) => deliveredPerSecond)),
    spread(some.map(({ acceptedPerSecond }) => acceptedPerSecond)),
    ...cpuPerSend(some, 'cpu', groups),
    spread(some.map(({ age }) => age.p50)),
    spread(some.map(({ age }) => age.p99)),
  ];
  printTable(
    `deliver: ${TOPOLOGY_NAMES[topology]}, ${connections} connections, ${inline ? 'addresses in the send' : 'profile read'}; median (lowest–highest)`,
    ['', 'delivered/s', 'accepted/s', 'CPU ms per send', ...groups, 'age p50 ms', 'p99'],
    [
      row(`${rounds.length} × ${sends} sends as fast as it answers`, rounds),
      ...(paced ? [row(`${paced.round.sends} sends at ${paced.rate} per second`, [paced.round])] : []),
    ],
  );
  console.log(
    '  CPU is of all its processes, PostgreSQL and Kafka included. Age runs from the start of a request until its mail is complete at the sink;',
  );
  console.log('  when sends are accepted faster than they are delivered it is mostly the queue.');
}

/** Between the rounds the processes do little. */
function printCpuByProcess(before: Map<string, number>, after: Map<string, number>, rounds: Round[]): void {
  const accepted = rounds.reduce((sum, round) => sum + round.accepted, 0);
  const rows = [...after].map(([kind, ms]) => [kind, (ms - (before.get(kind) ?? 0)) / accepted] as const);
  printTable(
    'CPU ms per send by process, over all rounds',
    ['process', 'CPU ms'],
    rows.filter(([, ms]) => ms >= 0.001).map(([kind, ms]) => [kind, figure(ms)]),
  );
}

runBench(deliver);
