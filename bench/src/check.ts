import { parseArgs } from 'node:util';
import { AppendFloors, type FloorRound } from './append-floors';
import { type Bench, describeRun, runBench } from './bench';
import { LargeList } from './large-list';
import { type MailFloorRound, MailFloors } from './mail-floors';
import { parseOptions } from './options';
import { countWrites, rowsOf, withSettings, writesBetween } from './product-database';
import { cpuMsPerSend, type FanOut, faultsOf, ProductRounds, type Round, type RoundOptions } from './product-rounds';
import { printStatements, printWrites, TOPOLOGY_NAMES } from './product-report';
import { acceptTarget, machineTarget, pacedCpuTarget } from './product-targets';
import { betterOf, compareWithReached, type Figure, isWorse, writeReached } from './reached';
import { parseRpcOptions } from './rpc-options';
import { printWrong, rpcTargets } from './rpc-report';
import { measureCandidates, startCandidates } from './rpc-rounds';
import { countStatements } from './statement-log';
import { spreadOf } from './statistics';
import type { Target } from './targets';
import { ADMIN_KEY } from './second-workspace';

const OPTIONS = parseOptions({ sends: 2_000, connections: 64, rounds: 3 }, []);
const RPC_OPTIONS = parseRpcOptions(['--concurrency', '64', '--milliseconds', '700']);
/** Sends, and subscribers of the list, whose rows, statements and log bytes are counted. */
const COUNTED = 3_000;
/** One after the other: each is a batch of its own, so that what it takes does not depend on the machine. */
const SINGLE = { sends: 80, rate: 10 };
const PACED_SHARE = 0.5;
const PACED_SECONDS = 4;

/** Short versions of accept, deliver, lanes and rpc: a figure that is worse than what was reached before is a failure. */
async function check(bench: Bench): Promise<void> {
  const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  console.log(describeRun());
  const rounds: Round[] = [];
  const ofSends = async () => {
    const measured = await sendFigures(bench.part());
    rounds.push(...measured.rounds);
    return measured.figures;
  };
  const figures = [...(await confirmed(ofSends)), ...(await confirmed(() => rpcFigures(bench.part())))];
  if (values.write) writeReached(figures);
  const { passed, faults } = compareWithReached(figures);
  faults.push(...rounds.flatMap(faultsOf));
  for (const fault of faults) console.error(`FAILED ${fault}`);
  console.log(`${passed} passed, ${faults.length} failed`);
  if (faults.length > 0) process.exitCode = 1;
}

/** Measures once more where a figure is worse than before, and has the better value of each then: the machine has other work at times. */
async function confirmed(measure: () => Promise<Figure[]>): Promise<Figure[]> {
  const first = await measure();
  if (!first.some(isWorse)) return first;
  const second = await measure();
  return first.map((one, index) => betterOf(one, second[index]!));
}

/** Of sends to stored users and of sends to a list, on one product. */
async function sendFigures(bench: Bench): Promise<{ figures: Figure[]; rounds: Round[] }> {
  const append = await AppendFloors.start(bench, OPTIONS);
  const mail = await MailFloors.start(bench);
  const product = await ProductRounds.start(bench, OPTIONS, { environment: { TIDINGS_ADMIN_KEY: ADMIN_KEY } });
  const list = await LargeList.create(product.product, COUNTED);
  bench.atEnd('the list', () => list.close());
  const sends = { sends: OPTIONS.sends, template: await product.createTemplate() };

  const http: FloorRound[] = [];
  const accepting: Round[] = [];
  const mailer: MailFloorRound[] = [];
  const delivering: Round[] = [];
  const fanOuts: FanOut[] = [];
  for (let round = 0; round < OPTIONS.rounds; round++) {
    http.push(await append.http(OPTIONS.sends));
    accepting.push(await product.round({ sends: OPTIONS.sends })); // with the content, which the server beside it appends too
    mailer.push(await mail.round('nodemailer pool, TCP_NODELAY', OPTIONS.sends));
    delivering.push(await product.round(sends));
    fanOuts.push(await product.fanOut(list));
  }
  const rate = Math.round(PACED_SHARE * spreadOf(delivering.map(({ deliveredPerSecond }) => deliveredPerSecond)).median);
  const paced = await product.round({ ...sends, sends: rate * PACED_SECONDS, rate });
  const counted: Round[] = [];
  // When autovacuum runs depends on the time and not on the sends.
  const figures = await withSettings(product.product.dataDirectory, { autovacuum: 'off' }, () =>
    countedFigures(product, sends, list, counted),
  );
  await bench.end();

  const perMail = (what: string, cpuMs: number[]): Figure => ({
    what: `${what} ÷ a mail of nodemailer's pool`,
    value: spreadOf(cpuMs.map((ms, index) => ms / mailer[index]!.cpuMs)).median,
    better: 'lower',
    kind: 'timed',
  });
  const accepted = accepting.map(({ acceptedPerSecond }) => acceptedPerSecond);
  const listMs = fanOuts.map(({ cpuMs }) => cpuMs);
  figures.push(
    timed(acceptTarget(`${TOPOLOGY_NAMES.standalone}, delivering as well`, accepted, http)),
    timed(machineTarget(delivering)),
    timed(pacedCpuTarget(delivering, paced)), // not the age: no floor shows how fast the machine is
    perMail('CPU per send', delivering.map(cpuMsPerSend)),
    perMail('CPU per message of a list', listMs),
  );
  return { figures, rounds: [...accepting, ...delivering, paced, ...counted] };
}

async function rpcFigures(bench: Bench): Promise<Figure[]> {
  const { rounds } = await measureCandidates(await startCandidates(bench, RPC_OPTIONS), RPC_OPTIONS);
  await bench.end();
  printWrong(rounds);
  return rpcTargets(rounds).map(timed);
}

/** What PostgreSQL does for one send alone, for one of many, and for one message of a list. */
async function countedFigures(product: ProductRounds, sends: RoundOptions, list: LargeList, rounds: Round[]): Promise<Figure[]> {
  const { dataDirectory } = product.product;
  const round = async (options: RoundOptions) => void rounds.push(await product.round(options));
  const single: Work = { item: 'single send', items: SINGLE.sends, run: () => round({ ...sends, ...SINGLE }) };
  const batches: Work[] = [
    { item: 'send', items: COUNTED, run: () => round({ ...sends, sends: COUNTED }) },
    { item: 'message of a list', items: list.size, run: async () => void (await product.fanOut(list)) },
  ];
  const figures = await statementFigures(dataDirectory, single);
  let before = await countWrites(dataDirectory);
  for (const work of batches) {
    figures.push(...(await statementFigures(dataDirectory, work)));
    const after = await countWrites(dataDirectory);
    const writes = writesBetween(before, after);
    printWrites(writes, work.items, work.item);
    const { inserted, updated, deleted } = rowsOf(writes);
    const rows = { 'rows inserted': inserted, 'rows updated': updated, 'rows deleted': deleted };
    figures.push(...perItem(work, { ...rows, 'bytes of write-ahead log': writes.walBytes }));
    before = after;
  }
  return figures;
}

interface Work {
  item: string;
  items: number;
  run(): Promise<void>;
}

async function statementFigures(dataDirectory: string, work: Work): Promise<Figure[]> {
  const executed = await countStatements(dataDirectory, work.run);
  printStatements(executed, work.items, work.item);
  const statements = [...executed.statements.values()].reduce((sum, count) => sum + count, 0);
  return perItem(work, { statements, 'commits that write': executed.writingCommits });
}

function perItem({ item, items }: Work, counts: Record<string, number>): Figure[] {
  return Object.entries(counts).map(([what, count]) => ({
    what: `${what} per ${item}`,
    value: count / items,
    better: 'lower',
    kind: 'counted',
  }));
}

function timed({ what, values, must }: Target): Figure {
  return { what, value: spreadOf(values).median, better: 'atLeast' in must ? 'higher' : 'lower', kind: 'timed' };
}

runBench(check);
