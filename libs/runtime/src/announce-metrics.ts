import type { ServiceName } from '@tidings/contracts/core/operation';
import { operations } from '@tidings/contracts/registry';
import { consumedTopics } from '@tidings/events/topic-access';
import { CALLEES } from '@tidings/rpc/kafka/rpc-topics';
import { METRICS, metricsOfProcess } from './metric-table';
import { metrics } from './metrics';

/**
 * Shows all metrics of a process from its start, with 0 where their labels have known values: topics that it consumes, operations that it
 * answers, and those of other services that have no route. @param process its name.
 */
export function announceMetrics(process: string): void {
  for (const definition of metricsOfProcess(process)) metrics.show(definition);
  for (const topic of consumedTopics(process).map((read) => read.topic.topic)) {
    metrics.announce(METRICS.deadLetters, { topic });
    for (const reason of METRICS.unauthenticatedEvents.labels.reason) metrics.announce(METRICS.unauthenticatedEvents, { topic, reason });
  }
  const isStandalone = process === 'standalone';
  const callees = isStandalone ? Object.values(CALLEES).flat() : (CALLEES[process as ServiceName] ?? []);
  for (const { pattern, service, scope } of operations) {
    const labels = { operation: pattern, outcome: 'ok' };
    if (service !== 'gateway' && (isStandalone || service === process)) metrics.announce(METRICS.rpcServer, labels);
    if (scope === 'internal' && callees.includes(service)) metrics.announce(METRICS.rpcClient, labels);
  }
}
