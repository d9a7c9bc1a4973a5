import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { ADMIN_KEY, Crowd } from './crowd';
import { MailFloors } from './mail-floors';
import { count, parseOptions } from './options';
import { printMemory } from './product-report';
import { cpuBetween, PROCESS_GROUPS, sumOf } from './process-usage';
import { type Round, ProductRounds } from './product-rounds';
import { figure, printTable, spread } from './report';
import { printTargets } from './targets';

const RECIPIENTS = 1_000_000;
const RECIPIENTS_MAX = 10_000_000;
const RATE = 10;
const SECONDS = 20;
const P99_MS_MAX = 1_000;
const CPU_MS_MAX = 0.7;
/** CPU per mail of nodemailer's pool on the machine that the target was set on: a slower machine takes longer for both. */
const MAILER_MS_OF_TARGET = 0.54;
const FLOOR_MAILS = 10_000;

/** Single sends of one workspace, alone, and while another one sends to a list of a million. */
async function lanes(bench: Bench): Promise<void> {
  const { values } = parseArgs({ options: { recipients: { type: 'string' }, rate: { type: 'string' }, seconds: { type: 'string' } } });
  const recipients = count('recipients', values.recipients, RECIPIENTS, 1, RECIPIENTS_MAX);
  const rate = count('rate', values.rate, RATE, 1, 1_000);
  const sends = rate * count('seconds', values.seconds, SECONDS, 1, 600);
  console.log(describeRun());
  const options = parseOptions({ sends, connections: 4, rounds: 1 }, []);
  const product = await ProductRounds.start(bench, options, undefined, { TIDINGS_ADMIN_KEY: ADMIN_KEY });
  product.usage.watchMemory();
  const crowd = await Crowd.gather(product.product, recipients);
  bench.atEnd('the crowd', () => crowd.close());

  const alone = await product.round({ sends, rate });
  const mailerMs = await mailerOfRun(bench);
  await crowd.send();
  const before = await crowd.made();
  const startedAt = performance.now();
  const cpuBefore = product.usage.cpu();
  const beside = await product.round({ sends, rate });
  const made = (await crowd.made()) - before;
  const cpu = cpuBetween(cpuBefore, product.usage.cpu());
  const perSecond = (made * 1000) / (performance.now() - startedAt);
  const wasUnderWay = await crowd.isUnderWay();

  const row = (name: string, { accepted, delivered, age }: Round): string[] => [
    name,
    figure(accepted),
    figure(delivered),
    spread([age.p50]),
    spread([age.p99]),
  ];
  printTable(
    `lanes: ${rate} sends a second of one workspace; another one sends to ${figure(recipients)} subscribers`,
    ['', 'accepted', 'delivered', 'age p50 ms', 'p99'],
    [row('alone', alone), row('beside the list', beside)],
  );
  console.log(`  Meanwhile ${figure(made)} messages to the list were made, ${figure(perSecond)} a second.`);
  console.log(`  CPU of each: ${PROCESS_GROUPS.map((group) => `${group} ${figure(cpu[group] / made)} ms`).join(', ')}.`);
  if (!wasUnderWay) console.log('  The list was done before the measurement ended: take more recipients.');
  printMemory(product.usage.peak());
  printTargets([
    { what: 'p99 of a single send beside the list', values: [beside.age.p99], must: { atMost: P99_MS_MAX }, unit: ' ms' },
    // The few single sends are in it.
    { what: 'CPU per message of the list', values: [sumOf(cpu) / made], must: { atMost: CPU_MS_MAX }, unit: ' ms' },
    {
      what: "the same ÷ a mail of nodemailer's pool",
      values: [sumOf(cpu) / made / mailerMs],
      must: { atMost: CPU_MS_MAX / MAILER_MS_OF_TARGET },
    },
  ]);
}

/** What a mail costs a sender with no product around it, in ms of CPU, when nothing else is done. */
async function mailerOfRun(bench: Bench): Promise<number> {
  const floors = await MailFloors.start(bench);
  const { cpuMs } = await floors.round('nodemailer pool, TCP_NODELAY', FLOOR_MAILS);
  return cpuMs;
}

runBench(lanes);
