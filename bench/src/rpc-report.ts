import { type CpuTimes, type ProcessGroup, sumOf } from './process-usage';
import { figure, printTable, spread } from './report';
import type { Candidate, Measured } from './rpc-candidates';
import type { RpcOptions } from './rpc-options';
import type { Target } from './targets';

/** Measurements by candidate and concurrency, one per round. */
export type Rounds = Map<Candidate, Map<number, Measured[]>>;

/** The concurrency at which rate and CPU are judged, and the one at which latency is. */
const MANY = 64;
const ALONE = 1;
const NEST_TIMES_MIN = 4;
const NEST_TIMES_AIM = 5;
const CPU_TIMES_MAX = 1.2;
const CPU_TIMES_AIM = 1.1;
const NODE_CPU_TIMES_MAX = 1.25;
const EXTRA_MS_MAX = 1.5;
const US_PER_MS = 1_000;

/** One table for each concurrency. */
export function printRpc(rounds: Rounds, { concurrencies, periodMs, rounds: count }: RpcOptions): void {
  for (const callers of concurrencies) {
    const [own] = [...rounds.values()];
    const product = own!.get(callers)!;
    printTable(
      `rpc: GET /profiles/:user_id, ${callers} at a time, ${count} rounds of ${figure(periodMs / 1_000)} s each, alternating; median (lowest–highest)`,
      ['', 'per second', 'Tidings ÷ this', 'p50 ms', 'p99 ms', 'CPU µs per request', 'node', 'kafka', 'postgres'],
      [...rounds].map(([candidate, byCallers]) => row(candidate, byCallers.get(callers)!, product)),
    );
  }
  console.log(
    '  CPU is user and system time of all answering processes, without the HTTP load generator. In (a) the caller is counted: it',
  );
  console.log(
    '  corresponds to the gateway. One broker and one PostgreSQL serve all; a server is counted only for the candidates that use it.',
  );
}

function row({ name, counted }: Candidate, measured: Measured[], product: Measured[]): string[] {
  const cpu = (valueOf: (times: CpuTimes) => number) => spread(measured.map(({ cpu: times }) => valueOf(times) * US_PER_MS));
  const group = (one: ProcessGroup) => (counted.includes(one) ? cpu((times) => times[one]) : '');
  return [
    name,
    spread(measured.map(({ perSecond }) => perSecond)),
    measured === product ? '' : spread(measured.map(({ perSecond }, index) => product[index]!.perSecond / perSecond)),
    spread(measured.map(({ latency }) => latency.p50)),
    spread(measured.map(({ latency }) => latency.p99)),
    cpu(sumOf),
    group('node'),
    group('kafka'),
    group('postgres'),
  ];
}

/** Prints the product's CPU without requests, which is part of every figure with the same servers. */
export function printIdle(idle: CpuTimes, groups: readonly ProcessGroup[]): void {
  const parts = groups.map((group) => `${group} ${figure(idle[group])}`);
  console.log(
    `  Without requests the product uses ${figure(sumOf(idle))} ms of CPU per second: ${parts.join(', ')}. That is not subtracted.`,
  );
}

/** The targets that were measured. */
export function rpcTargets(rounds: Rounds): Target[] {
  const [own, bare, nest, fastify] = rounds.keys();
  if (!bare || !nest || !fastify) return [];
  const at = (callers: number) => {
    const product = rounds.get(own!)!.get(callers);
    if (!product) return undefined;
    const of = (candidate: Candidate) => rounds.get(candidate)!.get(callers)!;
    return product.map((measured, index) => ({
      product: measured,
      bare: of(bare)[index]!,
      nest: of(nest)[index]!,
      fastify: of(fastify)[index]!,
    }));
  };
  const many = at(MANY);
  const alone = at(ALONE);
  const cpuTimes = (cpuOf: (times: CpuTimes) => number) =>
    many?.map(({ product, bare: a, fastify: c }) => cpuOf(product.cpu) / (cpuOf(a.cpu) + cpuOf(c.cpu))) ?? [];
  return [
    ...(many
      ? [
          {
            what: `requests per second at ${MANY} ÷ (b)`,
            values: many.map(({ product, nest: b }) => product.perSecond / b.perSecond),
            must: { atLeast: NEST_TIMES_MIN },
            aim: NEST_TIMES_AIM,
          },
          {
            what: `CPU per request at ${MANY}, all processes ÷ ((a) + (c))`,
            values: cpuTimes(sumOf),
            must: { atMost: CPU_TIMES_MAX },
            aim: CPU_TIMES_AIM,
          },
          {
            what: `CPU per request at ${MANY}, Node processes alone ÷ ((a) + (c))`,
            values: cpuTimes(({ node }) => node),
            must: { atMost: NODE_CPU_TIMES_MAX },
          },
        ]
      : []),
    ...(alone
      ? [
          {
            what: `p50 at ${ALONE}, more than (a) + (c)`,
            values: alone.map(({ product, bare: a, fastify: c }) => product.latency.p50 - a.latency.p50 - c.latency.p50),
            must: { atMost: EXTRA_MS_MAX },
            unit: ' ms',
          },
        ]
      : []),
  ];
}

/** Prints answers other than the profile; a bench with such an answer exits with 1. */
export function printWrong(rounds: Rounds): void {
  for (const [{ name }, byCallers] of rounds) {
    for (const [callers, measured] of byCallers) {
      for (const { wrong, requests } of measured) {
        if (wrong.size === 0) continue;
        const what = [...wrong].map(([fault, times]) => `${times} × ${fault}`).join(', ');
        console.error(`\n${name}, ${callers} at a time: of ${requests} answers were wrong: ${what}`);
        process.exitCode = 1;
      }
    }
  }
}
