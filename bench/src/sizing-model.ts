/** What a send costs, as `deliver --topology kafka` and `soak` measure it. */
export interface Costs {
  /** CPU ms per send of a process of each app. */
  apps: Readonly<Record<string, number>>;
  /** CPU ms per send of all brokers and of PostgreSQL. */
  kafka: number;
  postgres: number;
  /** Bytes of write-ahead log per send. */
  walBytes: number;
  /** Bytes that Kafka appends per send, before replication. */
  kafkaBytes: number;
  /** Bytes of a message with its history in PostgreSQL, indexes included, until retention removes it. */
  storedBytes: number;
}

/** What one machine or process can do; not measured by us. */
export interface Limits {
  /** Share of a core at which a process is full: above it waiting grows faster than the load. */
  utilisation: number;
  /** Cores of the largest PostgreSQL that one wants to run. */
  postgresCores: number;
  /** Write-ahead log per second of one PostgreSQL, in bytes. */
  walBytesPerSecond: number;
  /** Members of one consumer group that get work. */
  partitions: number;
  /** Instances of an app at least, so that one may stop. */
  instancesMin: number;
  /** Connections of one instance to PostgreSQL, by app; those without have none. */
  connections: Readonly<Record<string, number>>;
}

export interface Sizing {
  instances: Record<string, number>;
  kafkaCores: number;
  postgresCores: number;
  /** Bytes per second. */
  wal: number;
  kafkaLog: number;
  /** Bytes per day of retention. */
  storedPerDay: number;
  connections: number;
  /** Instances of messaging beyond the partitions, and PostgreSQL's cores and log beyond theirs: what ends here. */
  exceeded: string[];
}

const DAY_S = 86_400;

/** What `perSecond` sends a second need. */
export function sizingOf(perSecond: number, costs: Costs, limits: Limits): Sizing {
  const cores = (ms: number) => (perSecond * ms) / 1000 / limits.utilisation;
  const instances: Record<string, number> = {};
  for (const [app, ms] of Object.entries(costs.apps)) instances[app] = Math.max(limits.instancesMin, Math.ceil(cores(ms)));
  const sizing = {
    instances,
    kafkaCores: cores(costs.kafka),
    postgresCores: cores(costs.postgres),
    wal: perSecond * costs.walBytes,
    kafkaLog: perSecond * costs.kafkaBytes,
    storedPerDay: perSecond * costs.storedBytes * DAY_S,
    connections: Object.entries(instances).reduce((sum, [app, count]) => sum + count * (limits.connections[app] ?? 0), 0),
  };
  const most = Math.max(...Object.keys(limits.connections).map((app) => instances[app] ?? 0));
  const exceeded = [
    ...(most > limits.partitions ? [`${most} members of a group, ${limits.partitions} partitions`] : []),
    ...(sizing.postgresCores > limits.postgresCores ? ["PostgreSQL's CPU"] : []),
    ...(sizing.wal > limits.walBytesPerSecond ? ["PostgreSQL's write-ahead log"] : []),
  ];
  return { ...sizing, exceeded };
}

/** A stage that every send passes: `servers` work side by side, each on one group of sends at a time. */
export interface Stage {
  name: string;
  servers: number;
  /** ms of one server per send. */
  msPerSend: number;
}

export interface SimulatedLoad {
  /** Sends per second outside of bursts. */
  perSecond: number;
  /** How many times as many come in a burst. */
  burstFactor: number;
  /** A burst begins every so often, and lasts so long, in ms. */
  burstEveryMs: number;
  burstMs: number;
  /** Sends that continue together. */
  group: number;
  durationMs: number;
}

export interface Simulated {
  /** ms from arrival until the last stage is done. */
  p50: number;
  p99: number;
  /** Share of the time of its servers in which a stage worked. */
  busy: Record<string, number>;
}

/**
 * Simulates sends that arrive at random, in bursts too, and pass the stages one after the other. A stage takes groups of sends in
 * the order in which they come; service times are exponential.
 * @param random uniform from 0 to 1, so that a run can be repeated.
 */
export function simulate(stages: readonly Stage[], load: SimulatedLoad, random: () => number): Simulated {
  const exponential = (mean: number) => -Math.log(1 - random()) * mean;
  const arrived = arrivals(load, exponential);
  const times = arrived.slice();
  const busy: Record<string, number> = {};
  for (const { name, servers, msPerSend } of stages) {
    const freeAt = new Float64Array(servers);
    let worked = 0;
    // In the order in which the groups left the stage before.
    for (const index of Array.from(times.keys()).sort((a, b) => times[a]! - times[b]!)) {
      const server = indexOfLeast(freeAt);
      const took = exponential(msPerSend * load.group);
      worked += took;
      times[index] = freeAt[server] = Math.max(times[index]!, freeAt[server]!) + took;
    }
    busy[name] = worked / (servers * load.durationMs);
  }
  const ages = times.map((at, index) => at - arrived[index]!).sort();
  const quantile = (part: number) => ages[Math.min(ages.length - 1, Math.ceil(part * ages.length) - 1)] ?? 0;
  return { p50: quantile(0.5), p99: quantile(0.99), busy };
}

/** When each group of sends arrives, in ms, ascending. */
function arrivals(
  { perSecond, burstFactor, burstEveryMs, burstMs, group, durationMs }: SimulatedLoad,
  exponential: (mean: number) => number,
) {
  const times: number[] = [];
  let at = 0;
  for (;;) {
    const rate = perSecond * (at % burstEveryMs < burstMs ? burstFactor : 1);
    at += exponential((group * 1000) / rate);
    if (at > durationMs) return Float64Array.from(times);
    times.push(at);
  }
}

function indexOfLeast(values: Float64Array) {
  let least = 0;
  for (let index = 1; index < values.length; index++) if (values[index]! < values[least]!) least = index;
  return least;
}
