import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from './bench';
import type { Broker } from './broker';
import { monotonicMs } from './clock';
import type { LargeList } from './large-list';
import type { LoadCommands, LoadResult } from './load';
import type { BenchOptions } from './options';
import { Product } from './product';
import { idleMs } from './process-table';
import { type CpuTimes, ProcessUsage, cpuBetween, sumOf } from './process-usage';
import type { TimeRange } from './profile';
import { request } from './queries';
import { TEMPLATE } from './send-request';
import type { SinkCommands, SinkResult } from './smtp-sink';
import { type Percentiles, percentilesOf } from './statistics';
import type { Worker } from './worker';

const WARM_UP_SENDS = 500;
const ACCEPTED = 202;
/** The outcomes of the last mails are committed after the sink has the mails; that work belongs to the round. */
const SETTLE_MS = 500;
const DELIVER_MS_MIN = 30_000;
/** Slower than this per mail counts as lost. */
const DELIVER_MS_PER_SEND_MAX = 10;

export interface Round {
  sends: number;
  accepted: number;
  /** Answers other than 202, by status; 0 is a broken connection. */
  refused: Map<number, number>;
  /** From the first request's start to the last answer. */
  acceptedPerSecond: number;
  /** ms from a request's start to its 202. */
  latency: Percentiles;
  delivered: number;
  copies: number;
  /** From the first request's start to the last mail. */
  deliveredPerSecond: number;
  /** ms from a request's start until its mail is complete at the sink. */
  age: Percentiles;
  /** Until the last 202, with deliveries up to then. */
  cpuWhileAccepting: CpuTimes;
  /** Until the last mail's outcome is stored. */
  cpu: CpuTimes;
  /** Share of the CPU that other processes left which product, load generator and sink used until the last mail. */
  machineUsed: number;
  timeRange: TimeRange;
}

export interface RoundOptions {
  sends: number;
  /** Id from `createTemplate`; absent: each send contains the content. */
  template?: string;
  /** Sends per second; absent: as fast as answers come. */
  rate?: number;
  /** `report` is called after every `every` mails. */
  progress?: { every: number; report(delivered: number): void };
}

export interface FanOut {
  /** Of all the product's processes, per message. */
  cpuMs: number;
  perSecond: number;
}

export interface StartOptions {
  /** Given: the product is five processes over this Kafka. */
  broker?: Broker;
  /** Further variables of the product. */
  environment?: NodeJS.ProcessEnv;
  /** Clone of the repository whose built product runs; absent: this one. */
  clone?: string;
}

/** The product with a mail sink and a load generator, measured in rounds. */
export class ProductRounds {
  /** Of what drives the product and is not counted with it. */
  private readonly driver: ProcessUsage;

  private constructor(
    readonly product: Product,
    readonly usage: ProcessUsage,
    private readonly bench: Bench,
    private readonly sink: Worker<SinkCommands>,
    private readonly load: Worker<LoadCommands>,
    private readonly options: BenchOptions,
  ) {
    this.driver = new ProcessUsage({ roots: [sink.pid, load.pid] });
  }

  /** Starts everything, stores the users and warms up. */
  static async start(bench: Bench, options: BenchOptions, started: StartOptions = {}): Promise<ProductRounds> {
    const { sink, smtpPort } = await bench.sink();
    const load = bench.worker<LoadCommands>('load');
    const { profileDirectory } = options;
    const product = await Product.start({ directory: bench.directory(), smtpPort, profileDirectory, ...started });
    bench.atEnd('the product', () => product.stop());
    console.log(`The product was ready after ${Math.round(product.readyAfterMs)} ms`);
    const rounds = new ProductRounds(product, product.usage(), bench, sink, load, options);
    const { port, key } = product;
    await load.call('prepare', { port, key, connections: options.connections });
    await rounds.round({ sends: WARM_UP_SENDS });
    return rounds;
  }

  /** Sends, waits until every accepted send is delivered, and resolves with the measurements. */
  async round({ sends, rate, progress, template }: RoundOptions): Promise<Round> {
    const { sink, load, usage, options } = this;
    const { port, key } = this.product;
    const { connections, inline } = options;
    const run = this.bench.run();
    const limitMs = DELIVER_MS_MIN + sends * DELIVER_MS_PER_SEND_MAX + (rate ? (sends * 1000) / rate : 0);
    await sink.call('start', { run, mails: sends });
    const cpuBefore = usage.cpu();
    const machineUsed = this.watchMachine();
    const startedAt = monotonicMs();

    const following = progress && this.follow(sends, limitMs, progress);
    const loaded = await load.call('send', { port, key, run, sends, connections, inline, rate, template });
    const cpuAccepted = usage.cpu();
    await following;
    const accepted = loaded.statuses.reduce((count, status) => count + Number(status === ACCEPTED), 0);
    await sink.call('wait', { mails: accepted, limitMs });
    const used = machineUsed();
    await delay(SETTLE_MS);

    const cpuAfter = usage.cpu();
    const endedAt = monotonicMs();
    const sunk = await sink.call('result', null);
    if (!this.product.alive) throw new Error(`The product ended by itself:\n${this.product.log}`);
    return {
      ...summarise(loaded, sunk),
      cpuWhileAccepting: cpuBetween(cpuBefore, cpuAccepted),
      cpu: cpuBetween(cpuBefore, cpuAfter),
      machineUsed: used,
      timeRange: [startedAt, endedAt],
    };
  }

  /** Sends to the list and waits until every subscriber has its mail. @throws when one is missing or comes twice */
  async fanOut(list: LargeList): Promise<FanOut> {
    const { sink, usage } = this;
    const run = this.bench.run();
    await sink.call('start', { run, mails: list.size });
    const cpuBefore = usage.cpu();
    const startedAt = monotonicMs();
    await list.send(run);
    await sink.call('wait', { mails: list.size, limitMs: DELIVER_MS_MIN + list.size * DELIVER_MS_PER_SEND_MAX });
    const elapsedMs = monotonicMs() - startedAt;
    await delay(SETTLE_MS);
    const cpuMs = sumOf(cpuBetween(cpuBefore, usage.cpu())) / list.size;
    const { received, copies } = await sink.call('result', null);
    if (received < list.size || copies > 0) throw new Error(`Of ${list.size} mails of a list ${received} came, ${copies} twice`);
    return { cpuMs, perSecond: (list.size * 1000) / elapsedMs };
  }

  /** Stores the content of the sends as a template; resolves with its id. */
  async createTemplate(): Promise<string> {
    const { id } = (await request(this.product, '/notifications', { method: 'POST', body: JSON.stringify(TEMPLATE) })) as { id: string };
    return id;
  }

  /** @returns a function that returns `machineUsed` since now */
  private watchMachine(): () => number {
    const busyMs = () => sumOf(this.usage.cpu()) + sumOf(this.driver.cpu());
    const [idleBefore, busyBefore] = [idleMs(), busyMs()];
    return () => {
      const busy = busyMs() - busyBefore;
      return busy / (busy + idleMs() - idleBefore);
    };
  }

  private async follow(sends: number, limitMs: number, { every, report }: NonNullable<RoundOptions['progress']>): Promise<void> {
    for (let mails = every; mails <= sends; mails += every) {
      const { received } = await this.sink.call('wait', { mails, limitMs });
      if (received < mails) return; // some were refused or lost; the round's summary reports them
      report(mails);
    }
  }
}

/** What became of the sends of a run. */
export type Outcome = ReturnType<typeof summarise>;

/** Joins what the load generator and the sink saw of a run. */
export function summarise({ startedAt, answeredAt, statuses }: LoadResult, { receivedAt, received, copies }: SinkResult) {
  const refused = new Map<number, number>();
  const latencies: number[] = [];
  const ages: number[] = [];
  let firstStart = Infinity;
  let lastAnswer = 0;
  let lastMail = 0;
  statuses.forEach((status, number) => {
    const started = startedAt[number]!;
    firstStart = Math.min(firstStart, started);
    lastMail = Math.max(lastMail, receivedAt[number]!);
    if (receivedAt[number]) ages.push(receivedAt[number] - started);
    if (status === ACCEPTED) {
      latencies.push(answeredAt[number]! - started);
      lastAnswer = Math.max(lastAnswer, answeredAt[number]!);
    } else {
      refused.set(status, (refused.get(status) ?? 0) + 1);
    }
  });
  return {
    sends: statuses.length,
    accepted: latencies.length,
    refused,
    acceptedPerSecond: (latencies.length * 1000) / (lastAnswer - firstStart),
    latency: percentilesOf(latencies),
    delivered: received,
    copies,
    deliveredPerSecond: (received * 1000) / (lastMail - firstStart),
    age: percentilesOf(ages),
  };
}

/** CPU ms per accepted send of all the product's processes. */
export const cpuMsPerSend = ({ cpu, accepted }: Round): number => sumOf(cpu) / accepted;

/** Descriptions of failures; empty when every send was accepted and delivered once. */
export function faultsOf({ sends, accepted, refused, delivered, copies }: Outcome): string[] {
  const faults: string[] = [];
  if (accepted < sends)
    faults.push(`not 202: ${[...refused].map(([status, count]) => `${count} × ${status || 'broken connection'}`).join(', ')}`);
  if (delivered < accepted) faults.push(`LOST or late: ${accepted - delivered} of ${accepted} accepted`);
  if (copies > 0) faults.push(`second copies: ${copies}`);
  return faults;
}
