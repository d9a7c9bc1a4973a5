import path from 'node:path';
import { startFloorDatabase } from './bench-log';
import type { Bench } from './bench';
import { type Broker, signing, topicPrefix, topics } from './broker';
import { monotonicMs } from './clock';
import type { AppendCommands } from './floors/append';
import type { HttpAppendCommands } from './floors/http-append';
import type { GatewayCommands } from './gateway-alone';
import type { LoadCommands } from './load';
import { type CpuTimes, ProcessUsage, cpuBetween, perGroup } from './process-usage';
import { type Percentiles, percentilesOf } from './statistics';
import type { Worker } from './worker';

const WARM_UP = 500;
const GATEWAY_KEY = 'pk_prod_bench_gateway_alone';
const ACCEPTED = 202;

export interface FloorRound {
  perSecond: number;
  /** Of the floor's process and the servers it uses, per item, in ms. */
  cpu: CpuTimes;
  /** ms */
  latency: Percentiles;
}

/** Floors of durable acceptance: the bare append and servers around it, on an event log like the product's. */
export class AppendFloors {
  private constructor(
    private readonly bench: Bench,
    private readonly directory: string,
    private readonly servers: readonly number[],
    private readonly bare: Worker<AppendCommands>,
    private readonly server: Worker<HttpAppendCommands>,
    private readonly port: number,
    private readonly gateway: Worker<GatewayCommands>,
    private readonly gatewayPort: number,
    private readonly load: Worker<LoadCommands>,
    private readonly connections: number,
  ) {}

  /** With `broker` the log is on Kafka, under its own topic prefix: the product does not read the records of the floors. */
  static async start(bench: Bench, { connections }: { connections: number }, broker?: Broker): Promise<AppendFloors> {
    const directory = path.join(bench.directory(), 'postgres');
    const { databaseUrl, identityUrl, stop } = await startFloorDatabase(directory);
    bench.atEnd('PostgreSQL of the floors', stop);
    const kafka = broker && { brokers: broker.brokers, topicPrefix: topicPrefix(), topics: topics(broker), signing: signing() };
    const log = kafka ? { kafka } : { databaseUrl };
    const bare = bench.worker<AppendCommands>('floors/append');
    await bare.call('connect', log);
    const server = bench.worker<HttpAppendCommands>('floors/http-append');
    const { port } = await server.call('listen', log);
    const gateway = bench.worker<GatewayCommands>('gateway-alone');
    const alone = await gateway.call('listen', { log, identityUrl, key: GATEWAY_KEY });
    const load = bench.worker<LoadCommands>('load');
    const servers = broker?.pids ?? [];
    const floors = new AppendFloors(bench, directory, servers, bare, server, port, gateway, alone.port, load, connections);
    await floors.appends(WARM_UP);
    await floors.http(WARM_UP);
    await floors.gatewayAlone(WARM_UP);
    return floors;
  }

  /** Appends one by one from as many callers as there are connections, in one process. */
  async appends(count: number): Promise<FloorRound> {
    const { bare, connections } = this;
    const usage = this.usageWith(bare.pid);
    const before = usage.cpu();
    const { elapsedMs, latencies } = await bare.call('append', { run: this.bench.run(), appends: count, callers: connections });
    return { perSecond: (count * 1000) / elapsedMs, cpu: perItem(before, usage.cpu(), count), latency: percentilesOf(latencies) };
  }

  /** The same behind a bare `node:http` server, under the load generator that the product gets. */
  http(count: number): Promise<FloorRound> {
    return this.loaded(count, this.server.pid, this.port, 'none');
  }

  /** Not a floor: the product's own gateway, without the services that route and deliver. */
  gatewayAlone(count: number): Promise<FloorRound> {
    return this.loaded(count, this.gateway.pid, this.gatewayPort, GATEWAY_KEY);
  }

  private async loaded(count: number, pid: number, port: number, key: string): Promise<FloorRound> {
    const { load, connections } = this;
    const usage = this.usageWith(pid);
    const before = usage.cpu();
    const runStartedAt = monotonicMs();
    const run = { port, key, run: this.bench.run(), sends: count, connections, inline: false };
    const { startedAt, answeredAt, statuses } = await load.call('send', run);
    const wrong = statuses.find((status) => status !== ACCEPTED);
    if (wrong !== undefined) throw new Error(`A server beside the product answered ${wrong}`);
    const elapsedMs = answeredAt.reduce((last, at) => Math.max(last, at)) - runStartedAt;
    return {
      perSecond: (count * 1000) / elapsedMs,
      cpu: perItem(before, usage.cpu(), count),
      latency: percentilesOf(answeredAt.map((at, number) => at - startedAt[number]!)),
    };
  }

  private usageWith(pid: number): ProcessUsage {
    return new ProcessUsage({ roots: [pid, ...this.servers], dataDirectory: this.directory });
  }
}

function perItem(before: CpuTimes, after: CpuTimes, count: number): CpuTimes {
  const times = cpuBetween(before, after);
  return perGroup((group) => times[group] / count);
}
