import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from './bench';
import type { Broker } from './broker';
import { monotonicMs } from './clock';
import type { LoadCommands, LoadResult } from './load';
import type { BenchOptions } from './options';
import { Product } from './product';
import { type CpuTimes, type ProcessUsage, cpuBetween } from './process-usage';
import type { TimeRange } from './profile';
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
  timeRange: TimeRange;
}

export interface RoundOptions {
  sends: number;
  /** Sends per second; absent: as fast as answers come. */
  rate?: number;
  /** `report` is called after every `every` mails. */
  progress?: { every: number; report(delivered: number): void };
}

/** The product with a mail sink and a load generator, measured in rounds. */
export class ProductRounds {
  private constructor(
    readonly product: Product,
    readonly usage: ProcessUsage,
    private readonly bench: Bench,
    private readonly sink: Worker<SinkCommands>,
    private readonly load: Worker<LoadCommands>,
    private readonly options: BenchOptions,
  ) {}

  /** Starts everything, stores the users and warms up. With `broker` the product is five processes. */
  static async start(bench: Bench, options: BenchOptions, broker?: Broker, environment?: NodeJS.ProcessEnv): Promise<ProductRounds> {
    const { sink, smtpPort } = await bench.sink();
    const load = bench.worker<LoadCommands>('load');
    const { profileDirectory } = options;
    const product = await Product.start({ directory: bench.directory(), smtpPort, broker, environment, profileDirectory });
    bench.atEnd('the product', () => product.stop());
    console.log(`The product was ready after ${Math.round(product.readyAfterMs)} ms`);
    const rounds = new ProductRounds(product, product.usage(), bench, sink, load, options);
    const { port, key } = product;
    await load.call('prepare', { port, key, connections: options.connections });
    await rounds.round({ sends: WARM_UP_SENDS });
    return rounds;
  }

  /** Sends, waits until every accepted send is delivered, and resolves with the measurements. */
  async round({ sends, rate, progress }: RoundOptions): Promise<Round> {
    const { sink, load, usage, options } = this;
    const { port, key } = this.product;
    const { connections, inline } = options;
    const run = this.bench.run();
    const limitMs = DELIVER_MS_MIN + sends * DELIVER_MS_PER_SEND_MAX + (rate ? (sends * 1000) / rate : 0);
    await sink.call('begin', { run, mails: sends });
    const cpuBefore = usage.cpu();
    const startedAt = monotonicMs();

    const following = progress && this.follow(sends, limitMs, progress);
    const loaded = await load.call('send', { port, key, run, sends, connections, inline, ...(rate && { rate }) });
    const cpuAccepted = usage.cpu();
    await following;
    const accepted = loaded.statuses.reduce((count, status) => count + Number(status === ACCEPTED), 0);
    await sink.call('wait', { mails: accepted, limitMs });
    await delay(SETTLE_MS);

    const cpuAfter = usage.cpu();
    const endedAt = monotonicMs();
    const sunk = await sink.call('result', null);
    if (!this.product.alive) throw new Error(`The product ended by itself:\n${this.product.log}`);
    return {
      ...summarise(loaded, sunk),
      cpuWhileAccepting: cpuBetween(cpuBefore, cpuAccepted),
      cpu: cpuBetween(cpuBefore, cpuAfter),
      timeRange: [startedAt, endedAt],
    };
  }

  private async follow(sends: number, limitMs: number, { every, tell }: NonNullable<RoundOptions['progress']>): Promise<void> {
    for (let mails = every; mails <= sends; mails += every) {
      const { received } = await this.sink.call('wait', { mails, limitMs });
      if (received < mails) return; // some were refused or lost; the round's summary reports them
      report(mails);
    }
  }
}

function summarise({ startedAt, answeredAt, statuses }: LoadResult, { receivedAt, received, copies }: SinkResult) {
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

/** Descriptions of failures; empty when every send was accepted and delivered once. */
export function faultsOf({ sends, accepted, refused, delivered, copies }: Round): string[] {
  const faults: string[] = [];
  if (accepted < sends)
    faults.push(`not 202: ${[...refused].map(([status, count]) => `${count} × ${status || 'broken connection'}`).join(', ')}`);
  if (delivered < accepted) faults.push(`LOST or late: ${accepted - delivered} of ${accepted} accepted`);
  if (copies > 0) faults.push(`second copies: ${copies}`);
  return faults;
}
