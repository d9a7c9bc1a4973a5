import { events } from '@tidings/contracts/registry';
import { KafkaEventLog } from '@tidings/events/kafka/kafka-event-log';
import type { KafkaSettings } from '@tidings/events/kafka/settings';
import { KafkaTransport } from '@tidings/rpc/kafka/kafka-transport';
import type { Topic } from '@tidings/events/topic';
import type { RpcTransport } from '@tidings/rpc/transport';
import type { ProcessContext } from './run-process';

/** What a process does over Kafka: events and operations. */
interface KafkaConnection {
  events: KafkaEventLog;
  transport: RpcTransport;
  /** Answers what is under way, flushes what was accepted, leaves the cluster. */
  close(): Promise<void>;
}

/**
 * Connects event log and operations to a cluster. What had connected is closed again when the other cannot.
 * @param clientId what the brokers' logs and quotas call the process.
 * @throws ServiceError `unavailable` when the cluster is away, or one of the topics of operations cannot do its work.
 */
async function connectKafka(settings: KafkaSettings, clientId: string): Promise<KafkaConnection> {
  const [log, rpc] = await Promise.allSettled([
    KafkaEventLog.connect({ settings, clientId }),
    KafkaTransport.connect({ settings, clientId }),
  ]);
  if (log.status === 'fulfilled' && rpc.status === 'fulfilled') {
    const [events, transport] = [log.value, rpc.value];
    return {
      events,
      transport,
      close: async () => {
        await transport.close();
        await events.close();
      },
    };
  }
  const failed = [log, rpc].filter((outcome) => outcome.status === 'rejected');
  const connected = [log, rpc].filter((outcome) => outcome.status === 'fulfilled');
  await Promise.allSettled(connected.map(({ value }) => value.close()));
  throw failed[0]!.reason;
}

/**
 * Connects a process as soon as the cluster is there, for as long as it runs; readiness tells of both.
 * While one of the topics of the events that it appends or reads cannot do its work (compaction would remove what nobody has
 * read, say) the process waits, readiness says what to change, and mending the topic is enough.
 */
export async function joinKafka(
  { name, configuration, health, waitFor, onStop }: Pick<ProcessContext, 'name' | 'configuration' | 'health' | 'waitFor' | 'onStop'>,
  topics: readonly Topic[] = topicsOf(name),
): Promise<KafkaConnection> {
  const settings = configuration.kafka!; // its brokers are required of whoever comes here
  const kafka = await waitFor(`Kafka at ${settings.brokers.join(', ')}`, () => connectKafka(settings, `tidings-${name}`));
  onStop('Kafka', () => kafka.close());
  await waitFor('the topics in Kafka', () => kafka.events.checkTopics(topics));
  health.register('event log', async () => {
    if (!(await kafka.events.ready())) throw new Error('the event log takes nothing now');
  });
  health.register('rpc', async () => {
    if (!(await kafka.transport.ready())) throw new Error('no operation can be called now');
  });
  return kafka;
}

/** Of the events that a process appends or reads, as the events themselves say. */
function topicsOf(name: string): readonly Topic[] {
  return events.filter(({ from, to }) => from === name || to?.some((reader) => reader === name));
}
