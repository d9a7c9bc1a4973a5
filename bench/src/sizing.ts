import { parseArgs } from 'node:util';
import { runBench } from './bench';
import { count } from './options';
import { figure, mebibytes, printTable } from './report';
import { type Costs, type Limits, simulate, type Sizing, sizingOf, type Stage } from './sizing-model';

const PER_SECOND = 1_000;
const FACTORS = [1, 10, 100] as const;
/** Sends that continue together: ADR 26. */
const GROUP = 32;
const LOAD = { burstFactor: 2, burstEveryMs: 30_000, burstMs: 3_000, group: GROUP, durationMs: 120_000 };
const GIB = 2 ** 30;

/** docs/scaling.md says where each comes from. */
const COSTS: Costs = {
  apps: { gateway: 0.62, identity: 0.1, audience: 0.08, content: 0.07, messaging: 2.26 },
  kafka: 0.86,
  postgres: 0.66,
  walBytes: 5_660,
  kafkaBytes: 8_400,
  storedBytes: 5_000,
};

/** Of common machines; docs/scaling.md. */
const LIMITS: Limits = {
  utilisation: 0.6,
  postgresCores: 48,
  walBytesPerSecond: 200 * 2 ** 20,
  partitions: 12,
  instancesMin: 2,
  connections: { identity: 7, audience: 7, content: 7, messaging: 13 },
};

/** What a rate, ten and a hundred times as much need, by the measured costs of a send; and how mails wait there when bursts come. */
function sizing(): Promise<void> {
  const { values } = parseArgs({ options: { 'per-second': { type: 'string' } } });
  const perSecond = count('per-second', values['per-second'], PER_SECOND, 1, 100_000);
  const sizings = FACTORS.map((factor) => sizingOf(perSecond * factor, COSTS, LIMITS));
  const rows: [string, (one: Sizing) => string][] = [
    ...Object.keys(COSTS.apps).map((app): [string, (one: Sizing) => string] => [`${app}, instances`, (one) => String(one.instances[app])]),
    ['Kafka, cores', (one) => figure(one.kafkaCores)],
    ['PostgreSQL, cores', (one) => figure(one.postgresCores)],
    ['connections to PostgreSQL', (one) => figure(one.connections)],
    ['write-ahead log per second', (one) => mebibytes(one.wal)],
    ['appended to Kafka per second, before replication', (one) => mebibytes(one.kafkaLog)],
    ['stored in PostgreSQL per day of retention', (one) => `${figure(one.storedPerDay / GIB)} GiB`],
    ['ends here', (one) => one.exceeded.join('; ') || '–'],
  ];
  printTable(
    `Sizing at ${LIMITS.utilisation} of a core per instance`,
    ['', ...FACTORS.map((factor) => `${figure(perSecond * factor)}/s`)],
    rows.map(([name, of]) => [name, ...sizings.map(of)]),
  );
  const simulated = FACTORS.map((factor, index) =>
    simulate(stagesOf(sizings[index]!), { ...LOAD, perSecond: perSecond * factor }, Math.random),
  );
  printTable(
    `Simulated: twice as many for ${LOAD.burstMs / 1000} of every ${LOAD.burstEveryMs / 1000} s`,
    ['', 'mail p50 ms', 'p99 ms', 'busiest stage', 'of its time'],
    simulated.map(({ p50, p99, busy }, index) => {
      const [name, share] = Object.entries(busy).sort(([, a], [, b]) => b - a)[0]!;
      return [`${figure(perSecond * FACTORS[index]!)}/s`, figure(p50), figure(p99), name, figure(share)];
    }),
  );
  return Promise.resolve();
}

/** What a send passes: each app with its instances, PostgreSQL and Kafka with their cores. */
function stagesOf({ instances, kafkaCores, postgresCores }: Sizing): Stage[] {
  const { gateway, identity, messaging } = COSTS.apps;
  return [
    { name: 'gateway', servers: instances.gateway!, msPerSend: gateway! },
    { name: 'Kafka', servers: Math.ceil(kafkaCores), msPerSend: COSTS.kafka },
    { name: 'identity', servers: instances.identity!, msPerSend: identity! },
    { name: 'messaging', servers: instances.messaging!, msPerSend: messaging! },
    { name: 'PostgreSQL', servers: Math.min(Math.ceil(postgresCores), LIMITS.postgresCores), msPerSend: COSTS.postgres },
  ];
}

runBench(sizing);
