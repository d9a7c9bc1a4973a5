import type { ServiceName } from '@tidings/contracts/core/operation';
import { events } from '@tidings/contracts/registry';
import { waitingLine } from '@tidings/events/kafka/group-source';
import { KafkaEventLog } from '@tidings/events/kafka/kafka-event-log';
import { kafkaClientIdOf } from '@tidings/events/kafka/topic-access';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { KafkaTransport } from '@tidings/rpc/kafka/kafka-transport';
import type { Topic } from '@tidings/events/topic';
import { allSettled } from './all-settled';
import { METRICS } from './metric-table';
import { metrics } from './metrics';
import { rpcObserver } from './rpc-metrics';
import { watchEventLog } from './watch-event-log';
import type { ProcessContext } from './run-process';

const REJECTED = metrics.counter(METRICS.rpcRejected);
const UNAUTHENTICATED = metrics.counter(METRICS.unauthenticatedEvents);
const LOOPBACK_BROKER = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]):\d+$/i;

/**
 * Connects event log and RPC to a cluster. When one of them fails to connect, the other is closed again.
 * @param role of the process; names it in the brokers' logs and quotas.
 * @throws ServiceError `unavailable` when the cluster is unavailable or an RPC topic is misconfigured.
 */
async function connectKafka(settings: KafkaSettings, role: ServiceName) {
  const clientId = kafkaClientIdOf(role);
  const connecting = [
    KafkaEventLog.connect({ settings, clientId, onRefused: (reason, topic) => UNAUTHENTICATED.inc({ topic, reason }) }),
    KafkaTransport.connect({ settings, role, onRefused: (reason) => REJECTED.inc({ reason }), observer: rpcObserver }),
  ] as const;
  try {
    const [log, transport] = await allSettled(connecting);
    return { events: log, transport };
  } catch (error) {
    await Promise.allSettled(connecting.map(async (connected) => (await connected).close()));
    throw error;
  }
}

/** The part of a process's context that joining Kafka needs. */
type JoiningProcess = Pick<ProcessContext, 'name' | 'configuration' | 'health' | 'waitFor' | 'onStop'> & {
  readonly logger: Pick<ProcessContext['logger'], 'warn'>;
};

/** Whether the network alone protects the brokers; those of this machine do not count. */
function isOpenToAnyone({ brokers, tls, sasl }: KafkaSettings) {
  return !tls && !sasl && !brokers.every((broker) => LOOPBACK_BROKER.test(broker));
}

/**
 * Waits for the cluster and connects the process until its end; event log and RPC register readiness checks.
 * While a topic that the process appends to or reads is misconfigured (compaction would remove unread records, say), the process
 * waits and readiness names the change to make; correcting the topic lets the start continue.
 * @param topics default: those that the process appends to or reads, by the registry of events.
 */
export async function joinKafka(
  { name, configuration, health, logger, waitFor, onStop }: JoiningProcess,
  topics: readonly Topic[] = events.filter(({ from, to }) => from === name || to?.some((reader) => reader === name)),
) {
  const settings = configuration.kafka!; // KAFKA_BROKERS is required of every process that calls this
  if (isOpenToAnyone(settings))
    logger.warn('The brokers have neither TLS nor SASL: anyone who reaches them can read and delete records (docs/security.md)', 'Kafka');
  if (settings.signing.acceptsUnsigned)
    logger.warn('TIDINGS_RPC_UNSIGNED=accept: records that anyone wrote are accepted. Remove it after the upgrade', 'Kafka');
  const kafka = await waitFor(`Kafka at ${settings.brokers.join(', ')}`, () => connectKafka(settings, name as ServiceName));
  const { events: log, transport } = kafka;
  onStop('Kafka', async () => {
    await transport.close(); // answers the open calls
    await log.close(); // flushes accepted records
  });
  await waitFor('the topics in Kafka', () => log.checkTopics(topics));
  onStop('the metrics of the event log', watchEventLog(log, name));
  health.register('event log', async () => {
    if (!(await log.ready())) throw new Error('the event log accepts no records now');
    const waiting = log.waiting();
    if (waiting.length > 0) throw new Error(waiting.map(waitingLine).join('; '));
    const fault = log.topicFault();
    if (fault) throw new Error(fault);
  });
  health.register('rpc', async () => {
    if (!(await transport.ready())) throw new Error('no operation can be called now');
    const fault = transport.topicFault();
    if (fault) throw new Error(fault);
  });
  return kafka;
}
