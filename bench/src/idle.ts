import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, describeRun, runBench } from './bench';
import { monotonicMs } from './clock';
import { parseOptions } from './options';
import { cpuSum, printFaults } from './product-report';
import { ProductRounds } from './product-rounds';
import { type ProcessUsage, cpuBetween } from './process-usage';
import { figure, mebibytes, printTable } from './report';

/** Sends of the burst between the two looks, over so many connections; one look each. */
const DEFAULTS = { sends: 2_000, connections: 16, rounds: 1 };
const SETTLE_MS = 10_000;
const WATCH_MS = 30_000;

/** What the whole standalone costs while nobody asks: fresh, and after a burst of work. */
async function idle(bench: Bench): Promise<void> {
  const options = parseOptions(DEFAULTS);
  console.log(describeRun());
  const product = await ProductRounds.start(bench, options);
  const fresh = await look(product.usage);
  const burst = await product.round({ sends: options.sends });
  const after = await look(product.usage);

  printTable(
    `idle: over ${WATCH_MS / 1000} s, ${SETTLE_MS / 1000} s after the last request`,
    ['', 'CPU % of one core', 'node', 'postgres', 'wake-ups/s', 'memory (PSS)', 'node', 'postgres'],
    [
      ['after start and warm-up', ...fresh],
      [`after ${figure(options.sends)} sends`, ...after],
    ],
  );
  const { processes } = product.usage.peak();
  printTable(
    'By process',
    ['process', 'how many', 'largest (PSS)'],
    processes.map(({ kind, count, largest }) => [kind, String(count), mebibytes(largest)]),
  );
  printFaults([burst]);
}

async function look(usage: ProcessUsage): Promise<string[]> {
  await delay(SETTLE_MS);
  const begunAt = monotonicMs();
  const before = usage.cpu();
  const wakeUpsBefore = usage.wakeUps();
  await delay(WATCH_MS);
  const elapsedMs = monotonicMs() - begunAt;
  const wakeUps = usage.wakeUps() - wakeUpsBefore;
  const cpu = cpuBetween(before, usage.cpu());
  const { total, groups } = usage.memory();
  const percent = (ms: number) => `${figure((100 * ms) / elapsedMs)} %`;
  return [
    percent(cpuSum(cpu)),
    percent(cpu.node),
    percent(cpu.postgres),
    figure((wakeUps * 1000) / elapsedMs),
    mebibytes(total),
    mebibytes(groups.node),
    mebibytes(groups.postgres),
  ];
}

runBench(idle);
