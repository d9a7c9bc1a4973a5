import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { LargeList } from './large-list';
import { MailFloors } from './mail-floors';
import { count, parseOptions } from './options';
import { printMemory } from './product-report';
import { cpuBetween, PROCESS_GROUPS, sumOf } from './process-usage';
import { type Round, ProductRounds } from './product-rounds';
import { figure, printTable, spread } from './report';
import { printTargets } from './targets';
import { ADMIN_KEY } from './second-workspace';

const RECIPIENTS = 1_000_000;
const RECIPIENTS_MAX = 10_000_000;
const RATE = 10;
const SECONDS = 20;
const P99_MS_MAX = 1_000;
const CPU_MS_MAX = 0.7;
/** CPU per mail of nodemailer's pool on the machine on which the target was set; scales the target to other machines. */
const MAILER_MS_OF_TARGET = 0.54;
const FLOOR_MAILS = 10_000;

/** Measures single sends of one workspace, alone and while another workspace sends to a list of a million. */
async function lanes(bench: Bench): Promise<void> {
  const { values } = parseArgs({ options: { recipients: { type: 'string' }, rate: { type: 'string' }, seconds: { type: 'string' } } });
  const recipients = count('recipients', values.recipients, RECIPIENTS, 1, RECIPIENTS_MAX);
  const rate = count('rate', values.rate, RATE, 1, 1_000);
  const sends = rate * count('seconds', values.seconds, SECONDS, 1, 600);
  console.log(describeRun());
  const options = parseOptions({ sends, connections: 4, rounds: 1 }, []);
  const product = await ProductRounds.start(bench, options, { environment: { TIDINGS_ADMIN_KEY: ADMIN_KEY } });
  product.usage.watchMemory();
  const list = await LargeList.create(product.product, recipients);
  bench.atEnd('the large list', () => list.close());

  const alone = await product.round({ sends, rate });
  const mailerMs = await mailerOfRun(bench);
  await list.send(bench.run());
  await list.untilStarted();
  const before = await list.messageCount();
  const startedAt = performance.now();
  const cpuBefore = product.usage.cpu();
  const beside = await product.round({ sends, rate });
  const made = (await list.messageCount()) - before;
  const cpu = cpuBetween(cpuBefore, product.usage.cpu());
  const perSecond = (made * 1000) / (performance.now() - startedAt);
  const wasExpanding = await list.isExpanding();

  const row = (name: string, { accepted, delivered, age }: Round): string[] => [
    name,
    figure(accepted),
    figure(delivered),
    spread([age.p50]),
    spread([age.p99]),
  ];
  printTable(
    `lanes: ${rate} sends a second of one workspace; another workspace sends to ${figure(recipients)} subscribers`,
    ['', 'accepted', 'delivered', 'age p50 ms', 'p99'],
    [row('alone', alone), row('beside the list', beside)],
  );
  console.log(`  Meanwhile ${figure(made)} messages to the list were created, ${figure(perSecond)} a second.`);
  console.log(`  CPU of each: ${PROCESS_GROUPS.map((group) => `${group} ${figure(cpu[group] / made)} ms`).join(', ')}.`);
  if (!wasExpanding) console.log('  The send to the list ended before the measurement: use a higher --recipients.');
  printMemory(product.usage.peak());
  printTargets([
    { what: 'p99 of a single send beside the list', values: [beside.age.p99], must: { atMost: P99_MS_MAX }, unit: ' ms' },
    // Includes the few single sends.
    { what: 'CPU per message of the list', values: [sumOf(cpu) / made], must: { atMost: CPU_MS_MAX }, unit: ' ms' },
    {
      what: "the same ÷ a mail of nodemailer's pool",
      values: [sumOf(cpu) / made / mailerMs],
      must: { atMost: CPU_MS_MAX / MAILER_MS_OF_TARGET },
    },
  ]);
}

/** CPU ms per mail of a nodemailer pool without the product, on the otherwise idle machine. */
async function mailerOfRun(bench: Bench): Promise<number> {
  const floors = await MailFloors.start(bench);
  const { cpuMs } = await floors.round('nodemailer pool, TCP_NODELAY', FLOOR_MAILS);
  return cpuMs;
}

runBench(lanes);
