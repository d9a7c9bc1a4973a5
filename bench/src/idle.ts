import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, describeRun, runBench } from './bench';
import { startBroker } from './broker';
import { monotonicMs } from './clock';
import { parseOptions } from './options';
import { groupsOf, printFaults } from './product-report';
import { ProductRounds } from './product-rounds';
import { type ProcessGroup, type ProcessUsage, cpuBetween, sumOf } from './process-usage';
import { figure, mebibytes, printTable } from './report';

/** Sends and connections of the burst between the two observations. */
const DEFAULTS = { sends: 2_000, connections: 16, rounds: 1 };
/** Within 30 s after work Node returns memory to the system, which costs 0.5 s of CPU once: that belongs to the work. */
const SETTLE_MS = 45_000;
const WATCH_MS = 30_000;

/** CPU and memory of the product without requests: after the start, and after a burst of sends. */
async function idle(bench: Bench): Promise<void> {
  const options = parseOptions(DEFAULTS);
  console.log(describeRun());
  const broker = options.topology === 'kafka' ? await startBroker(bench) : undefined;
  const product = await ProductRounds.start(bench, options, { broker });
  const shown = groupsOf(options.topology);
  const fresh = await observe(product.usage, shown);
  const burst = await product.round({ sends: options.sends });
  const after = await observe(product.usage, shown);

  printTable(
    `idle: over ${WATCH_MS / 1000} s, ${SETTLE_MS / 1000} s after the last request`,
    ['', 'CPU % of one core', ...shown, 'wake-ups/s', 'memory (PSS)', ...shown, 'unshared'],
    [
      ['after start and warm-up', ...fresh.figures],
      [`after ${figure(options.sends)} sends`, ...after.figures],
    ],
  );
  console.log('  Unshared: with the full pages of programs and libraries that other processes on this machine map too.');
  const { processes } = product.usage.peak();
  printTable(
    'By process, at the second observation',
    ['process', 'how many', 'largest (PSS)', 'wake-ups/s of all'],
    processes.map(({ kind, count, largest }) => [kind, String(count), mebibytes(largest), figure(after.wakeUps.get(kind) ?? 0)]),
  );
  printFaults([burst]);
}

interface Observation {
  figures: string[];
  /** Per second, by kind of process. */
  wakeUps: Map<string, number>;
}

async function observe(usage: ProcessUsage, shown: readonly ProcessGroup[]): Promise<Observation> {
  await delay(SETTLE_MS);
  const startedAt = monotonicMs();
  const before = usage.cpu();
  const wakeUpsBefore = usage.wakeUps();
  await delay(WATCH_MS);
  const elapsedMs = monotonicMs() - startedAt;
  const wakeUps = new Map(
    [...usage.wakeUps()].map(([kind, count]) => [kind, ((count - (wakeUpsBefore.get(kind) ?? 0)) * 1000) / elapsedMs]),
  );
  const cpu = cpuBetween(before, usage.cpu());
  const { total, groups } = usage.memory();
  const percent = (ms: number) => `${figure((100 * ms) / elapsedMs)} %`;
  const figures = [
    percent(sumOf(cpu)),
    ...shown.map((group) => percent(cpu[group])),
    figure([...wakeUps.values()].reduce((sum, count) => sum + count, 0)),
    mebibytes(total),
    ...shown.map((group) => mebibytes(groups[group])),
    mebibytes(total + usage.sharedWithOthers()),
  ];
  return { figures, wakeUps };
}

runBench(idle);
