import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { type Broker, startBroker } from './broker';
import { monotonicMs } from './clock';
import type { LoadCommands, LoadResult } from './load';
import { count } from './options';
import { Product } from './product';
import { printMemory } from './product-report';
import { faultsOf, type Outcome, summarise } from './product-rounds';
import { figure, printTable, spread } from './report';
import { SecondInstance } from './second-instance';
import { printTargets } from './targets';

const MINUTES = 30;
const RATE = 50;
const RESTART_EVERY_S = 60;
const CONNECTIONS = 64;
/** As the SDKs repeat a request. */
const ATTEMPTS = 3;
/** The last messages of a killed process wait for its leases; the rest is delivered in the meantime. */
const DELIVER_MS_MAX = 60_000;
const STEP_S = 60;
/** In the order in which they are restarted. */
const APPS = ['messaging', 'gateway', 'identity', 'audience', 'content'] as const;
const SIGNALS = ['SIGTERM', 'SIGKILL'] as const;
/** The service level objectives of docs/scaling.md. */
const SLO = { acceptP99Ms: 500, deliveryP99Ms: 5_000 };

interface Restart {
  /** By `monotonicMs()`. */
  startedAt: number;
  app: string;
  signal: NodeJS.Signals;
  instance: 'first' | 'second';
  readyAfterMs: number;
}

/** Steady sends to two of every app over Kafka, one of which is ended and started again every minute: in order, then by kill -9. */
async function soak(bench: Bench): Promise<void> {
  const flags = { minutes: { type: 'string' }, rate: { type: 'string' }, 'restart-every': { type: 'string' } } as const;
  const { values } = parseArgs({ options: flags });
  const minutes = count('minutes', values.minutes, MINUTES, 1, 24 * 60);
  const rate = count('rate', values.rate, RATE, 1, 1_000);
  const everyMs = count('restart-every', values['restart-every'], RESTART_EVERY_S, 10, 3_600) * 1_000;
  const sends = minutes * 60 * rate;
  console.log(describeRun());

  const { sink, smtpPort } = await bench.sink();
  const load = bench.worker<LoadCommands>('load');
  const product = await startProduct(bench, smtpPort, await startBroker(bench));
  const seconds = await startSeconds(bench, product);
  const { key, port } = product;
  await load.call('prepare', { port, key, connections: 4 });
  const usage = product.usage();
  usage.watchMemory();

  const run = bench.run();
  await sink.call('start', { run, mails: sends });
  const ended = new AbortController();
  const restarts = restartOneByOne(product, seconds, everyMs, ended.signal);
  const progress = showProgress(sends, () => sink.call('result', null), ended.signal);
  const ports = [port, seconds.find(({ app }) => app === 'gateway')!.port];
  const loading = load.call('sendBalanced', { ports, key, run, sends, connections: CONNECTIONS, rate, attempts: ATTEMPTS, inline: false });
  const loaded = await Promise.race([loading, failureOf(restarts)]);
  ended.abort();
  const made = await restarts;
  await progress;
  const accepted = loaded.statuses.filter((status) => status === 202).length;
  await sink.call('wait', { mails: accepted, limitMs: DELIVER_MS_MAX });
  const outcome = summarise(loaded, await sink.call('result', null));

  printOutcome(outcome, rate, minutes);
  printRestarts(made, loaded);
  printMemory(usage.peak());
  printTargets([
    { what: 'p99 from when a send was due to its 202', values: [outcome.latency.p99], must: { atMost: SLO.acceptP99Ms }, unit: ' ms' },
    { what: 'p99 from when a send was due to its mail', values: [outcome.age.p99], must: { atMost: SLO.deliveryP99Ms }, unit: ' ms' },
    { what: 'accepted and not delivered', values: [outcome.accepted - outcome.delivered], must: { atMost: 0 } },
    { what: 'not accepted', values: [outcome.sends - outcome.accepted], must: { atMost: 0 } },
  ]);
  const lost = outcome.accepted - outcome.delivered;
  if (lost > 0 || outcome.accepted < outcome.sends) {
    for (const fault of faultsOf(outcome)) console.log(`  ${fault}`);
    process.exitCode = 1;
  }
}

async function startProduct(bench: Bench, smtpPort: number, broker: Broker) {
  const product = await Product.start({ directory: bench.directory(), smtpPort, broker });
  bench.atEnd('the product', () => product.stop());
  return product;
}

async function startSeconds(bench: Bench, product: Product) {
  const seconds: SecondInstance[] = [];
  for (const app of APPS) {
    const second = await SecondInstance.start(product, app);
    bench.atEnd(`the second ${app}`, () => second.stop());
    seconds.push(second);
  }
  return seconds;
}

/** Restarts one process after the other until the signal; resolves with what was restarted. */
async function restartOneByOne(product: Product, seconds: SecondInstance[], everyMs: number, ended: AbortSignal): Promise<Restart[]> {
  const made: Restart[] = [];
  for (let number = 0; !ended.aborted; number++) {
    const app = APPS[number % APPS.length]!;
    const round = Math.floor(number / APPS.length);
    const signal = SIGNALS[round % SIGNALS.length]!;
    const isFirst = Math.floor(round / SIGNALS.length) % 2 === 1;
    await delay(everyMs, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) break;
    const startedAt = monotonicMs();
    if (isFirst) await product.restart(app, signal);
    else await seconds.find((second) => second.app === app)!.restart(signal);
    made.push({ startedAt, app, signal, instance: isFirst ? 'first' : 'second', readyAfterMs: monotonicMs() - startedAt });
  }
  return made;
}

async function failureOf(restarts: Promise<unknown>): Promise<never> {
  await restarts;
  return new Promise<never>(() => undefined);
}

/** A line a minute. */
async function showProgress(sends: number, result: () => Promise<{ received: number; copies: number }>, ended: AbortSignal) {
  const startedAt = performance.now();
  while (!ended.aborted) {
    await delay(STEP_S * 1_000, undefined, { signal: ended }).catch(() => undefined);
    const { received, copies } = await result();
    const minutes = Math.round((performance.now() - startedAt) / 60_000);
    console.log(`  ${minutes} min: ${figure(received)} of ${figure(sends)} delivered, ${copies} second copies`);
  }
}

function printOutcome(outcome: Outcome, rate: number, minutes: number): void {
  const { sends, accepted, delivered, copies, latency, age } = outcome;
  printTable(
    `soak: ${rate} sends per second for ${minutes} minutes, two of every app over Kafka`,
    ['sends', 'accepted', 'delivered', 'second copies', 'accept p50 ms', 'p99', 'highest', 'mail p50 ms', 'p99', 'highest'],
    [[sends, accepted, delivered, copies].map(figure).concat([latency, age].flatMap(({ p50, p99, max }) => [p50, p99, max].map(figure)))],
  );
}

/** With the sends that were accepted late while a process was restarted, and after that until the next restart. */
function printRestarts(made: Restart[], { startedAt, answeredAt }: LoadResult): void {
  const lateAfter = (one: Restart): number[] => {
    const until = made[made.indexOf(one) + 1]?.startedAt ?? Infinity;
    const waits = [...startedAt].flatMap((at, number) =>
      at + SLO.acceptP99Ms > one.startedAt && at < until ? [answeredAt[number]! - at] : [],
    );
    return waits.filter((ms) => ms > SLO.acceptP99Ms);
  };
  const kinds = [...new Set(made.map(({ app, signal }) => `${app} by ${signal}`))];
  printTable(
    'Restarts while it sent, the ms until the process was ready again, and the sends that were accepted late',
    ['', 'how many', 'ms', 'late sends', 'ms of them'],
    kinds.map((kind) => {
      const some = made.filter(({ app, signal }) => `${app} by ${signal}` === kind);
      const late = some.flatMap(lateAfter);
      return [
        kind,
        String(some.length),
        spread(some.map(({ readyAfterMs }) => readyAfterMs)),
        figure(late.length),
        late.length ? spread(late) : '',
      ];
    }),
  );
}

runBench(soak);
