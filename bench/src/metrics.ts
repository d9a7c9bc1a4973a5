import { countAnswer } from '@tidings/gateway/http/request-metrics';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import { rpcObserver } from '@tidings/runtime/rpc-metrics';
import type { FastifyRequest } from 'fastify';
import { describeRun, runBench } from './bench';
import { cpuMicroseconds } from './cpu-microseconds';
import { printTable, spread } from './report';
import { spreadOf } from './statistics';

const ROUNDS = 9;
const COUNT = 100_000;
const OPERATION = 'identity.recipients.load';
const DELIVERY = { channel: 'email', provider: 'smtp', outcome: 'accepted' };

/**
 * What metrics cost: each call alone, and all of a send that meets no other, where nothing is shared: most of its calls are of batches.
 */
function measure(): Promise<void> {
  const accepted = metrics.counter(METRICS.accepted);
  const routed = metrics.counter(METRICS.routed);
  const deliveries = metrics.counter(METRICS.deliveries);
  const attempts = metrics.counter(METRICS.attempts);
  const latency = metrics.histogram(METRICS.acceptToProvider);
  const poolWait = metrics.histogram(METRICS.poolWait);
  const request = { countedAs: 'gateway.send.accept', startedAt: 1 } as FastifyRequest;
  const { provider, outcome } = DELIVERY;

  const parts: readonly [string, number, () => unknown][] = [
    ['a request is counted and timed', 1, () => countAnswer(Object.assign(request, { countedAs: 'gateway.send.accept' }), 202)],
    ['a send is counted as accepted', 1, () => accepted.inc()],
    ['a call of a service is timed', 2, () => rpcObserver.called(OPERATION, 'ok', performance.now())],
    ['an answer of a service is timed', 2, () => rpcObserver.answered(OPERATION, 'ok', performance.now())],
    ['a routed step is counted', 1, () => routed.inc({ lane: 'normal' })],
    ['a delivery is counted', 1, () => (deliveries.inc(DELIVERY), attempts.inc({ provider, outcome }))],
    ['the time to the provider is noted', 1, () => latency.observe(0.1)],
    ['a wait for a connection is noted', 3, () => poolWait.observe(0.001)],
  ];
  const costs = parts.map(() => [] as number[]);
  for (let round = 0; round < ROUNDS; round += 1) parts.forEach(([, , part], index) => costs[index]!.push(cpuMicroseconds(part, COUNT)));

  console.log(describeRun());
  const rows = parts.map(([name, calls], index) => [name, String(calls), spread(costs[index]!)]);
  const sum = parts.reduce((total, [, calls], index) => total + calls * spreadOf(costs[index]!).median, 0);
  printTable(
    `Metrics, ${ROUNDS} rounds; µs of CPU each, median (lowest–highest)`,
    ['', 'calls of a send', 'µs'],
    [...rows, ['**all of a send**', '', sum.toFixed(1)]],
  );
  return Promise.resolve();
}

runBench(measure);
